/* Finds property files, reads them, stores them in recordings, and selects their points. */
#include "pipeline/property_files.h"

#include "base/mem.h"
#include "base/sort.h"
#include "pipeline/complain.h"
#include "pipeline/install_paths.h"
#include "pipeline/paths.h"
#include "grammar/grammar.h"
#include "property/property.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- finding them ---------------------------------------------------------------------------- */

/* Finds ".../share/sooth/properties", which is next to ".../lib/sooth". */
static bool find_shipped_directory(char path[PATH_MAX])
{
	static const char tail[] = "/share/sooth/properties", library[] = "/lib/sooth";
	size_t length;

	if (!install_paths_directory(path))
		return false;
	length = strlen(path) - strlen(library);
	if (length + sizeof tail > PATH_MAX)
		return false;
	strcpy(path + length, tail);
	return true;
}

/* Prints the names of the files that come with sooth. */
static void list_shipped(const char *command, const char *directory)
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
		vec_sort(&names, sort_names);
		fprintf(stderr, "sooth %s: these files come with sooth:", command);
		for (size_t i = 0; i < names.count; i++) {
			fprintf(stderr, "%s %s", i ? "," : "", names.items[i]);
			free(names.items[i]);
		}
		fputs("; the name of any other file must end in .prop or contain a slash\n",
		      stderr);
	}
	vec_free(&names);
}

/* Finds the path of a property file, which the caller frees. Returns NULL after a message. */
static char *find_file(const char *command, const char *given)
{
	char directory[PATH_MAX], *path;
	size_t length = strlen(given);
	bool ends = length > 5 && !strcmp(given + length - 5, ".prop");

	if (strchr(given, '/') || (ends && !access(given, F_OK)))
		return mem_copy_text(given, length);
	if (!find_shipped_directory(directory))
		return NULL;
	path = mem_format("%s/%s%s", directory, given, ends ? "" : ".prop");
	if (length && !access(path, R_OK))
		return path;
	free(path);
	complain(command, "-p %s: no such property file", given);
	list_shipped(command, directory);
	return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a file and frees `path`. */
static bool read_file(struct property_files *p, char *path)
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
	free(path);
	if (file)
		*vec_push(&p->files) = file;
	return file != NULL;
}

static bool apply_choice(const struct property_files *p, const struct property_choice *choice)
{
	return property_choice_apply(choice, p->command, p->files.items, p->files.count);
}

/* Continues after a bad file, so that the errors of all files are printed at once. */
bool property_files_open(struct property_files *p)
{
	bool valid = true;

	for (size_t i = 0; i < p->given.count; i++) {
		char *path = find_file(p->command, p->given.items[i]);

		valid &= path && read_file(p, path);
	}
	valid = valid && (!p->files.count || apply_choice(p, &p->choice));
	if (!valid)
		property_files_close(p);
	return valid;
}

static void drop_files(struct property_files *p)
{
	for (size_t i = 0; i < p->files.count; i++)
		spec_free(p->files.items[i]);
	vec_free(&p->files);
}

/* Returns "TRACE/properties.prop", "TRACE/properties-2.prop" and so on; the caller frees it. */
static char *stored_name(const char *trace, size_t number)
{
	return number ? mem_format("%s/properties-%zu.prop", trace, number + 1)
		      : mem_format("%s/properties.prop", trace);
}

static bool read_stored(struct property_files *p, const char *trace)
{
	for (size_t i = 0;; i++) {
		char *path = stored_name(trace, i);

		if (access(path, F_OK)) {
			free(path);
			return true;
		}
		if (!read_file(p, path))
			return false;
	}
}

bool property_files_open_stored(struct property_files *p, const char *trace)
{
	struct property_choice stored = { 0 };
	bool valid;

	if (p->given.count || p->files.count)
		return true;
	property_choice_load(&stored, trace);
	valid = read_stored(p, trace) && apply_choice(p, &stored) && apply_choice(p, &p->choice);
	property_choice_free(&stored);
	if (!valid)
		drop_files(p);
	return valid;
}

/* ---- the selection of points ----------------------------------------------------------------- */

/*
 * Adds the selection of points to SOOTH_OPTIONS. It comes last, because the last value of a key
 * counts. `remains` makes the runtime record the final values of variables, for formulas over
 * variables.
 */
static bool export_points(const char *command, const char *path)
{
	const char *given = getenv("SOOTH_OPTIONS");
	char quote = strchr(path, '"') ? '\'' : '"', *text;
	bool done;

	if (strchr(path, '"') && strchr(path, '\''))
		return complain(command, "%s: a name that contains both ' and \" is not supported",
				path);
	text = mem_format("%s%spoints=%c%s%c:remains=1", given ? given : "",
			  given && *given ? ":" : "", quote, path, quote);
	done = setenv("SOOTH_OPTIONS", text, 1) == 0;
	free(text);
	return done || complain(command, "%s", strerror(errno));
}

bool property_files_select(struct property_files *p)
{
	char *text = property_selection(p->files.items, p->files.count);
	size_t length = strlen(text);
	/* A choice without files is a mistake: print the names as not found. */
	bool written = p->files.count || apply_choice(p, &p->choice);

	if (length) {
		int fd;

		path_temporary(p->points, "points");
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

bool property_files_select_stored(const char *command, const char *trace)
{
	char path[PATH_MAX], relative[PATH_MAX];

	if (snprintf(relative, sizeof relative, "%s/points", trace) >= PATH_MAX ||
	    !realpath(relative, path))
		return true;
	return export_points(command, path);
}

bool property_files_store(const struct property_files *p, const char *trace)
{
	for (size_t i = 0; i < p->files.count; i++) {
		char *path = stored_name(trace, i);
		FILE *out = fopen(path, "w");
		bool written = out && fputs(p->files.items[i]->text, out) >= 0;

		if (out)
			written &= fclose(out) == 0;
		if (!written)
			complain(p->command, "%s: %s", path, strerror(errno));
		free(path);
		if (!written)
			return false;
	}
	return property_choice_store(&p->choice, trace) ||
	       complain(p->command, "%s: %s", trace, strerror(errno));
}

void property_files_print_options(const struct property_files *p, FILE *out)
{
	for (size_t i = 0; i < p->given.count; i++) {
		fputs("-p ", out);
		print_shell_word(out, p->given.items[i]);
		fputc(' ', out);
	}
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
