/* Helpers for file names that several parts of the pipeline need. */
#include "pipeline/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void path_temporary(char path[PATH_MAX], const char *name)
{
	const char *parent = getenv("TMPDIR");

	snprintf(path, PATH_MAX, "%s/sooth-%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
}

int sort_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void print_shell_word(FILE *out, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n'\"\\$`*?[](){}<>|&;!#~")]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}
