#include "pipeline/property_files.h"

#include "base/mem.h"
#include "pipeline/install_paths.h"
#include "grammar/grammar.h"
#include "property/property.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char property_files_option_help[] =
	"  -p FILE.prop     judge by these properties as well (doc/language.md); again for more.\n"
	"                   -p NAME: one of sooth's own, such as race or use-after-close\n"
	"  --property NAMES only these of their properties (A,B); --no-property NAMES: all but "
	"these\n";

static bool __attribute__((format(printf, 2, 3)))
complain(const char *command, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fprintf(stderr, "sooth %s: ", command);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	return false;
}

int property_files_read_option(struct property_files *p, char **argv, int *i)
{
	const char *word = argv[*i];

	if (strncmp(word, "-p", 2) != 0)
		return property_choice_read_option(&p->choice, p->command, argv, i);
	if (!word[2] && !argv[*i + 1]) {
		complain(p->command, "-p: which file? (-p FILE.prop)");
		return -1;
	}
	*vec_push(&p->given) = word[2] ? word + 2 : argv[++*i];
	return 1;
}

/* ---- where they are --------------------------------------------------------------------------- */

/* "…/share/sooth/properties", beside "…/lib/sooth" */
static bool own_directory(char path[PATH_MAX])
{
	static const char tail[] = "/share/sooth/properties", behind[] = "/lib/sooth";
	size_t length;

	if (!install_paths_directory(path))
		return false;
	length = strlen(path) - strlen(behind);
	if (length + sizeof tail > PATH_MAX)
		return false;
	strcpy(path + length, tail);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What may have been meant. */
static void say_own(const char *command, const char *directory)
{
	static const char end[] = ".prop";
	DIR *entries = opendir(directory);
	VEC(char *) names = { 0 };

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		size_t length = strlen(entry->d_name), cut = strlen(end);

		if (length > cut && !strcmp(entry->d_name + length - cut, end))
			*vec_push(&names) = mem_copy_text(entry->d_name, length - cut);
	}
	if (entries)
		closedir(entries);
	if (names.count) {
		qsort(names.items, names.count, sizeof *names.items, by_name);
		fprintf(stderr, "sooth %s: sooth has", command);
		for (size_t i = 0; i < names.count; i++) {
			fprintf(stderr, "%s %s", i ? "," : "", names.items[i]);
			free(names.items[i]);
		}
		fputs("; a file of your own ends in .prop or has a slash in its name\n", stderr);
	}
	vec_free(&names);
}

/* The user's own file, or one of sooth's; NULL: said. */
static char *find(const char *command, const char *given)
{
	char directory[PATH_MAX], *path;
	size_t length = strlen(given);
	bool ends = length > 5 && !strcmp(given + length - 5, ".prop");

	if (strchr(given, '/') || (ends && !access(given, F_OK)))
		return mem_copy_text(given, length);
	if (!own_directory(directory))
		return NULL;
	if (asprintf(&path, "%s/%s%s", directory, given, ends ? "" : ".prop") < 0)
		abort();
	if (length && !access(path, R_OK))
		return path;
	free(path);
	complain(command, "-p %s: there is no such property file", given);
	say_own(command, directory);
	return NULL;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static bool read_one(struct property_files *p, char *path)
{
	struct spec_messages messages = { 0 };
	struct err err = { 0 };
	struct spec_file *file = spec_read(path, &messages, &err);

	if (file)
		grammar_check(file, &messages);
	if (file && messages.errors) {
		spec_free(file);
		file = NULL;
	}
	for (size_t i = 0; i < messages.list.count; i++) {
		if (!file || messages.list.items[i].severity == SPEC_ERROR)
			fputs(messages.list.items[i].shown, stderr);
	}
	if (!file && !messages.errors)
		complain(p->command, "%s", err.text);
	spec_messages_free(&messages);
	if (!file) {
		free(path);
		return false;
	}
	*vec_push(&p->files) = file;
	*vec_push(&p->paths) = path;
	return true;
}

static bool choose(const struct property_files *p, const struct property_choice *choice)
{
	return property_choice_make(choice, p->command, p->files.items, p->files.count);
}

/* All of them, though one is bad: their errors are told in one go. Without -p there may be some in a trace. */
bool property_files_open(struct property_files *p)
{
	bool well = true;

	for (size_t i = 0; i < p->given.count; i++) {
		char *path = find(p->command, p->given.items[i]);

		well &= path && read_one(p, path);
	}
	well = well && (!p->files.count || choose(p, &p->choice));
	if (!well)
		property_files_close(p);
	return well;
}

static void drop_files(struct property_files *p)
{
	for (size_t i = 0; i < p->files.count; i++) {
		spec_free(p->files.items[i]);
		free(p->paths.items[i]);
	}
	vec_free(&p->files);
	vec_free(&p->paths);
}

/* "TRACE/properties.prop", "TRACE/properties-2.prop" … */
static char *kept_name(const char *trace, size_t number)
{
	char *path;
	int made = number ? asprintf(&path, "%s/properties-%zu.prop", trace, number + 1)
			  : asprintf(&path, "%s/properties.prop", trace);

	if (made < 0)
		abort();
	return path;
}

static bool read_kept(struct property_files *p, const char *trace)
{
	for (size_t i = 0;; i++) {
		char *path = kept_name(trace, i);

		if (access(path, F_OK)) {
			free(path);
			return true;
		}
		p->kept = true;
		if (!read_one(p, path))
			return false;
	}
}

bool property_files_open_kept(struct property_files *p, const char *trace)
{
	struct property_choice kept = { 0 };
	bool well;

	if (p->given.count || p->files.count)
		return true;
	property_choice_read_kept(&kept, trace);
	well = read_kept(p, trace) && choose(p, &kept) && choose(p, &p->choice);
	property_choice_free(&kept);
	if (!well)
		drop_files(p);
	return well;
}

/* ---- the selection ---------------------------------------------------------------------------- */

/* Behind what is there: the last word on a key counts. `remains` is for formulas over variables. */
static bool export_points(const char *command, const char *path)
{
	const char *given = getenv("SOOTH_OPTIONS");
	char quote = strchr(path, '"') ? '\'' : '"', *text;
	bool done;

	if (strchr(path, '"') && strchr(path, '\''))
		return complain(command, "%s: a name with both kinds of quotes cannot be passed on",
				path);
	if (asprintf(&text, "%s%spoints=%c%s%c:remains=1", given ? given : "",
		     given && *given ? ":" : "", quote, path, quote) < 0)
		abort();
	done = setenv("SOOTH_OPTIONS", text, 1) == 0;
	free(text);
	return done || complain(command, "%s", strerror(errno));
}

bool property_files_select(struct property_files *p)
{
	const char *above = getenv("TMPDIR");
	char *text = property_selection(p->files.items, p->files.count);
	size_t length = strlen(text);
	/* A choice without files is a mistake: it names what is not there. */
	bool written = p->files.count || choose(p, &p->choice);

	if (length) {
		int fd;

		snprintf(p->points, sizeof p->points, "%s/sooth-points-XXXXXX",
			 above && *above ? above : "/tmp");
		fd = mkstemp(p->points);
		written = fd >= 0 && write(fd, text, length) == (ssize_t)length;
		if (!written)
			complain(p->command, "%s: %s", p->points, strerror(errno));
		if (fd >= 0)
			close(fd);
		else
			p->points[0] = 0;
	}
	free(text);
	return written && (!p->files.count || export_points(p->command, p->points));
}

bool property_files_select_kept(const char *command, const char *trace)
{
	char path[PATH_MAX], relative[PATH_MAX];

	if (snprintf(relative, sizeof relative, "%s/points", trace) >= PATH_MAX ||
	    !realpath(relative, path))
		return true;
	return export_points(command, path);
}

bool property_files_keep(const struct property_files *p, const char *trace)
{
	for (size_t i = 0; i < p->files.count; i++) {
		char *path = kept_name(trace, i);
		FILE *out = fopen(path, "w");
		bool well = out && fputs(p->files.items[i]->text, out) >= 0;

		if (out)
			well &= fclose(out) == 0;
		if (!well)
			complain(p->command, "%s: %s", path, strerror(errno));
		free(path);
		if (!well)
			return false;
	}
	return property_choice_keep(&p->choice, trace) ||
	       complain(p->command, "%s: %s", trace, strerror(errno));
}

void property_files_close(struct property_files *p)
{
	drop_files(p);
	vec_free(&p->given);
	property_choice_free(&p->choice);
	if (p->points[0])
		unlink(p->points);
	p->points[0] = 0;
}
