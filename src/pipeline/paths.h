/* File names, temporary names, and words in commands that are shown to the user. */
#ifndef PIPELINE_PATHS_H
#define PIPELINE_PATHS_H

#include <limits.h>
#include <stdio.h>

/*
 * Makes a template for mkdtemp and mkstemp: "/tmp/sooth-NAME-XXXXXX", or in TMPDIR if that is set.
 */
void path_temporary(char path[PATH_MAX], const char *name);

/* Comparison for vec_sort() of a VEC(char *). */
int sort_names(const void *a, const void *b);

/* Prints a word of a shell command, quoted if that is necessary. */
void print_shell_word(FILE *out, const char *word);

#endif
