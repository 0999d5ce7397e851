/* Reads a line of a source file for a report. */
#include "report/source.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Opens a file. Returns NULL if it was changed after the recording. */
static FILE *open_unchanged(const struct trace *trace, const char *path)
{
	const char *recorded = trace_meta(trace, "time");
	struct stat status;
	if (stat(path, &status) || !S_ISREG(status.st_mode) ||
	    (recorded && status.st_mtime > strtoll(recorded, NULL, 10)))
		return NULL;
	return fopen(path, "re");
}

/* Tries the name as it is, and then relative to the directory in which the program ran. */
static FILE *open_source(const struct trace *trace, const char *name)
{
	const char *directory = trace_meta(trace, "directory");
	FILE *file = open_unchanged(trace, name);
	char *path;

	if (file || !directory || name[0] == '/')
		return file;
	path = mem_format("%s/%s", directory, name);
	file = open_unchanged(trace, path);
	free(path);
	return file;
}

const char *source_line(struct describe *d, const char *name, unsigned line)
{
	FILE *file = name && line ? open_source(describe_trace(d), name) : NULL;
	char *text = NULL;
	size_t room = 0;
	ssize_t length = -1;
	const char *kept = NULL;

	if (!file)
		return NULL;
	for (unsigned i = 0; i < line && (length = getline(&text, &room, file)) >= 0; i++)
		;
	fclose(file);
	if (length > 0) {
		size_t from = strspn(text, " \t"), to = strcspn(text, "\r\n");

		while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t'))
			to--;
		if (to > from)
			kept = describe_keep(d, text + from, to - from);
	}
	free(text);
	return kept;
}
