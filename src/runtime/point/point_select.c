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

static const char *const words[POINT_WISHES] = { "call", "exec", "return", "probe" };

#define LINES_MAX 4096u
static struct point_select_line {
	uint8_t wish;
	bool found;
	bool always; /* nobody asked for it: it is on wherever it is, and is not missed */
	uint16_t pointed, texts;	/* as in point_asked */
	const char *library, *function; /* globs; NULL: any library */
} lines[LINES_MAX];
static unsigned line_count;

static struct {
	const char *text; /* as it was */
	size_t bytes;
} whole;

/* Functions that are there and cannot be seen. */
#define MISSED_MAX 1024u
static struct missed {
	uint8_t wish;
	const char *why;
	char function[160];
} missed[MISSED_MAX];
static unsigned missed_count;

/* ---- reading ------------------------------------------------------------------------------ */

/* "1,3,s2" */
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

/* A line, which ends in NUL and is taken apart. */
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
	for (unsigned wish = 0; wish < POINT_WISHES; wish++) {
		if (strcmp(word[0], words[wish]) != 0)
			continue;
		lines[line_count] = (struct point_select_line){
			.wish = (uint8_t)wish,
			.library = strcmp(word[1], "-") != 0 ? word[1] : NULL,
			.function = word[2],
		};
		if (word[3])
			read_pointed(word[3], &lines[line_count]);
		line_count++;
		return;
	}
}

/* Twice: as it is, and a copy with room for a NUL, cut into lines. */
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
	lines[line_count++] = (struct point_select_line){ .wish = POINT_WISH_PROBE,
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

/* ---- asking ------------------------------------------------------------------------------- */

static bool fits_name(const struct point_select_line *line, const char *name)
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

static bool fits(const struct point_select_line *line, const struct point_named *named)
{
	const char *library;

	if (!fits_name(line, named->name))
		return false;
	if (!line->library)
		return true;
	library = named->library(named);
	return library && fnmatch(line->library, library, 0) == 0;
}

bool point_select_names(const char *name)
{
	for (unsigned i = 0; i < line_count; i++)
		if (fits_name(&lines[i], name))
			return true;
	return false;
}

struct point_asked point_select(const struct point_named *named)
{
	struct point_asked asked = { 0 };

	for (unsigned i = 0; i < line_count; i++) {
		if (!fits(&lines[i], named))
			continue;
		asked.wishes |= 1u << lines[i].wish;
		asked.pointed[lines[i].wish] |= lines[i].pointed;
		asked.texts[lines[i].wish] |= lines[i].texts;
	}
	return asked;
}

/* ---- what was found of it ----------------------------------------------------------------- */

static void linker_name(const char *name, char linker[sizeof(missed->function)])
{
	size_t length = strcspn(name, "\t");

	if (length >= sizeof(missed->function))
		length = sizeof(missed->function) - 1;
	memcpy(linker, name, length);
	linker[length] = 0;
}

void point_select_found(const struct point_named *named, unsigned wishes)
{
	char function[sizeof(missed->function)];

	for (unsigned i = 0; i < line_count; i++)
		if (wishes >> lines[i].wish & 1 && !lines[i].found && fits(&lines[i], named))
			lines[i].found = true;
	linker_name(named->name, function);
	for (unsigned i = 0; i < missed_count;) {
		if (wishes >> missed[i].wish & 1 && !strcmp(missed[i].function, function))
			missed[i] = missed[--missed_count];
		else
			i++;
	}
}

static void miss(unsigned wish, const char *why, const char *function)
{
	for (unsigned i = 0; i < missed_count; i++)
		if (missed[i].wish == wish && !strcmp(missed[i].function, function))
			return;
	if (missed_count == MISSED_MAX)
		return;
	missed[missed_count].wish = (uint8_t)wish;
	missed[missed_count].why = why;
	memcpy(missed[missed_count++].function, function, sizeof(missed->function));
}

void point_select_missed(const struct point_named *named, unsigned wishes, const char *why)
{
	char function[sizeof(missed->function)];

	for (unsigned i = 0; i < line_count; i++)
		if (wishes >> lines[i].wish & 1 && fits(&lines[i], named))
			lines[i].found = true; /* it is there, after all */
	linker_name(named->name, function);
	for (unsigned wish = 0; wish < POINT_WISHES; wish++)
		if (wishes >> wish & 1)
			miss(wish, why, function);
}

/* ---- telling ------------------------------------------------------------------------------ */

static bool lost;

void point_select_lost(void)
{
	lost = true;
}

void point_select_copy(void)
{
	struct point_file file;

	point_file_open(&file, "points", 0);
	point_file_put(&file, whole.text, whole.bytes);
	point_file_close(&file);
}

static void put_line(struct point_file *file, const char *why, unsigned wish, const char *library,
		     const char *function)
{
	point_file_text(file, why);
	point_file_text(file, "\t");
	point_file_text(file, words[wish]);
	point_file_text(file, "\t");
	point_file_text(file, library ? library : "-");
	point_file_text(file, "\t");
	point_file_text(file, function);
	point_file_text(file, "\n");
}

void point_select_tell(void)
{
	struct point_file file;

	point_file_open(&file, "points_missed", 0);
	for (unsigned i = 0; i < line_count; i++)
		if (!lines[i].found && !lines[i].always)
			put_line(&file,
				 lost ? "a module has no table of points (stripped, or linked "
					"with --gc-sections?)"
				      : "nothing in the program fits",
				 lines[i].wish, lines[i].library, lines[i].function);
	for (unsigned i = 0; i < missed_count; i++)
		put_line(&file, missed[i].why, missed[i].wish, NULL, missed[i].function);
	if (missed_count == MISSED_MAX)
		put_line(&file, "and more", POINT_WISH_CALL, NULL, "*");
	point_file_close(&file);
}
