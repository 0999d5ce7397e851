/*
 * Reads the selection, matches names against it, and writes to the trace which requested points
 * were found.
 */
#include "runtime/point/point_select.h"

#include "runtime/point/point_file.h"
#include "runtime/host/process.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const request_names[POINT_REQUESTS] = { "call", "exec", "return", "probe" };

#define LINES_MAX 4096u
static struct point_select_line {
	uint8_t request;
	bool found;
	bool always;		 /* always on without a request, so not reported as missing */
	uint16_t pointed, texts; /* as in struct point_requested */
	const char *library, *function; /* patterns; library NULL: any */
} lines[LINES_MAX];
static unsigned line_count;

static struct {
	const char *text; /* as read from the file */
	size_t bytes;
} whole;

/* Requested functions that exist but have no usable points. */
#define MISSED_MAX 1024u
static struct missed {
	uint8_t request;
	const char *why;
	char function[160];
} missed[MISSED_MAX];
static unsigned missed_count;

/* ---- reading the selection ------------------------------------------------------------------- */

/*
 * Parses a list such as "1,3,s2": the numbers of arguments, with s before those whose text matters.
 */
static void read_pointed(const char *text, struct point_select_line *line)
{
	while (*text) {
		bool is_text = *text == 's';
		char *end;
		unsigned long number = strtoul(text + is_text, &end, 10);
		if (is_text && number <= POINT_ARGUMENTS)
			line->texts |= (uint16_t)(1u << number);
		else if (number >= 1 && number <= POINT_ARGUMENTS)
			line->pointed |= (uint16_t)(1u << (number - 1));
		text = *end ? end + 1 : end;
	}
}

/* Parses a line, which ends in NUL. Splits it in place. */
static void read_line(char *text)
{
	char *word[4] = { text, NULL, NULL, NULL };

	for (unsigned i = 1; i < 4 && word[i - 1]; i++) {
		word[i] = strchr(word[i - 1], '\t');
		if (word[i])
			*word[i]++ = 0;
	}
	if (!word[2] || line_count == LINES_MAX)
		return;
	for (unsigned request = 0; request < POINT_REQUESTS; request++) {
		if (strcmp(word[0], request_names[request]) != 0)
			continue;
		lines[line_count] = (struct point_select_line){
			.request = (uint8_t)request,
			.library = strcmp(word[1], "-") != 0 ? word[1] : NULL,
			.function = word[2],
		};
		if (word[3])
			read_pointed(word[3], &lines[line_count]);
		line_count++;
		return;
	}
}

/*
 * Maps the file twice: an unchanged text, and a copy that is split into lines, with room for a NUL
 * at its end. Returns the copy.
 */
static char *map_text(const char *path)
{
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *cut = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &about) == 0 && about.st_size > 0) {
		size_t bytes = (size_t)about.st_size;
		void *plain = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
		void *copy = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (plain != MAP_FAILED && copy != MAP_FAILED &&
		    pread(fd, plain, bytes, 0) == about.st_size) {
			memcpy(copy, plain, bytes);
			whole.text = plain;
			whole.bytes = bytes;
			cut = copy;
		}
	}
	close(fd);
	return cut;
}

static void add_always(const char *probe)
{
	lines[line_count++] = (struct point_select_line){ .request = POINT_REQUEST_PROBE,
							  .always = true,
							  .function = probe };
}

bool point_select_is_always(const char *texts, size_t bytes)
{
	return memmem(texts, bytes, POINT_ATOMIC_BEGIN, sizeof(POINT_ATOMIC_BEGIN)) != NULL;
}

void point_select_always(void)
{
	if (line_count > LINES_MAX - 2)
		line_count = LINES_MAX - 2;
	add_always(POINT_ATOMIC_BEGIN);
	add_always(POINT_ATOMIC_END);
}

bool point_select_read(const char *path)
{
	char *text = map_text(path);

	while (text && *text) {
		char *end = strchr(text, '\n');
		if (end)
			*end++ = 0;
		read_line(text);
		text = end;
	}
	return line_count > 0;
}

/* ---- matching names -------------------------------------------------------------------------- */

static bool matches_name(const struct point_select_line *line, const char *name)
{
	const char *tab = strchr(name, '\t');
	char linker[1024];
	size_t length = tab ? (size_t)(tab - name) : strlen(name);

	if (tab && fnmatch(line->function, tab + 1, 0) == 0)
		return true;
	if (length >= sizeof(linker))
		return false;
	memcpy(linker, name, length);
	linker[length] = 0;
	return fnmatch(line->function, linker, 0) == 0;
}

static bool matches(const struct point_select_line *line, const struct point_named *named)
{
	const char *library;

	if (!matches_name(line, named->name))
		return false;
	if (!line->library)
		return true;
	library = named->library(named);
	return library && fnmatch(line->library, library, 0) == 0;
}

bool point_select_matches_name(const char *name)
{
	for (unsigned i = 0; i < line_count; i++)
		if (matches_name(&lines[i], name))
			return true;
	return false;
}

struct point_requested point_select(const struct point_named *named)
{
	struct point_requested requested = { 0 };

	for (unsigned i = 0; i < line_count; i++) {
		if (!matches(&lines[i], named))
			continue;
		requested.requests |= 1u << lines[i].request;
		requested.pointed[lines[i].request] |= lines[i].pointed;
		requested.texts[lines[i].request] |= lines[i].texts;
	}
	return requested;
}

/* ---- what was found -------------------------------------------------------------------------- */

static void linker_name(const char *name, char linker[sizeof(missed->function)])
{
	size_t length = strcspn(name, "\t");

	if (length >= sizeof(missed->function))
		length = sizeof(missed->function) - 1;
	memcpy(linker, name, length);
	linker[length] = 0;
}

void point_select_found(const struct point_named *named, unsigned requests)
{
	char function[sizeof(missed->function)];

	for (unsigned i = 0; i < line_count; i++)
		if (requests >> lines[i].request & 1 && !lines[i].found &&
		    matches(&lines[i], named))
			lines[i].found = true;
	linker_name(named->name, function);
	for (unsigned i = 0; i < missed_count;) {
		if (requests >> missed[i].request & 1 && !strcmp(missed[i].function, function))
			missed[i] = missed[--missed_count];
		else
			i++;
	}
}

static void add_missed(unsigned request, const char *why, const char *function)
{
	for (unsigned i = 0; i < missed_count; i++)
		if (missed[i].request == request && !strcmp(missed[i].function, function))
			return;
	if (missed_count == MISSED_MAX)
		return;
	missed[missed_count].request = (uint8_t)request;
	missed[missed_count].why = why;
	memcpy(missed[missed_count++].function, function, sizeof(missed->function));
}

void point_select_missed(const struct point_named *named, unsigned requests, const char *why)
{
	char function[sizeof(missed->function)];

	for (unsigned i = 0; i < line_count; i++)
		if (requests >> lines[i].request & 1 && matches(&lines[i], named))
			lines[i].found = true; /* the function exists */
	linker_name(named->name, function);
	for (unsigned request = 0; request < POINT_REQUESTS; request++)
		if (requests >> request & 1)
			add_missed(request, why, function);
}

/* ---- writing the result to the trace --------------------------------------------------------- */

static bool module_without_rows;

void point_select_no_rows(void)
{
	module_without_rows = true;
}

void point_select_write_copy(void)
{
	struct point_file file;

	point_file_open(&file, "points", 0);
	point_file_put(&file, whole.text, whole.bytes);
	point_file_close(&file);
}

static void put_line(struct point_file *file, const char *why, unsigned request,
		     const char *library, const char *function)
{
	point_file_field(file, why);
	point_file_field(file, request_names[request]);
	point_file_field(file, library ? library : "-");
	point_file_text(file, function);
	point_file_text(file, "\n");
}

void point_select_report(void)
{
	struct point_file file;

	point_file_open(&file, "points_missed", 0);
	for (unsigned i = 0; i < line_count; i++)
		if (!lines[i].found && !lines[i].always)
			put_line(&file,
				 module_without_rows
					 ? "a module has no table of points (stripped, or linked "
					   "with --gc-sections?)"
					 : "nothing in the program matches",
				 lines[i].request, lines[i].library, lines[i].function);
	for (unsigned i = 0; i < missed_count; i++)
		put_line(&file, missed[i].why, missed[i].request, NULL, missed[i].function);
	if (missed_count == MISSED_MAX)
		put_line(&file, "and more", POINT_REQUEST_CALL, NULL, "*");
	point_file_close(&file);
}
