/* Names of files and directories, and how a command shown to the user spells them. */
#ifndef PIPELINE_PATHS_H
#define PIPELINE_PATHS_H

#include <limits.h>
#include <stdio.h>

/* The last component of a path. */
const char *path_name(const char *path);

/* "/tmp/sooth-NAME-XXXXXX", below TMPDIR if that is set: a template for mkdtemp and mkstemp. */
void path_temporary(char path[PATH_MAX], const char *name);

/* For vec_sort() of a VEC(char *). */
int sort_names(const void *a, const void *b);

/* Prints a word as a shell reads it: quoted if that is necessary. */
void print_shell_word(FILE *out, const char *word);

#endif
