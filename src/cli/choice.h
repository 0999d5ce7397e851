/*
 * Which properties of the files are judged: --property NAME,… takes only these, --no-property NAME,… all but
 * these. The others are taken out of the files that were read, so that nobody else needs to know. A
 * recording keeps the choice it was made with: events of other properties are not in it.
 */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

#include "spec/spec.h"

struct choice_name {
	char *name;
	bool without; /* all but this one; otherwise this one and others that are named so */
};
struct choice {
	VEC(struct choice_name) names;
};

/* 1: the word at argv[*i] is ours and was taken; 0: it is not; -1: a message was printed. */
int choice_read_option(struct choice *choice, const char *command, char **argv, int *i);

bool choice_is_made(const struct choice *choice);

/* False: a name that none of the files has; it was printed, with what may have been meant. */
bool choice_make(const struct choice *choice, const char *command, struct spec_file **files,
		 size_t count);

/* Writes it into a recording; false: `errno` says why. */
bool choice_keep(const struct choice *choice, const char *trace);
/* The one that a recording keeps; none is made if it keeps none. */
void choice_read_kept(struct choice *choice, const char *trace);

void choice_free(struct choice *choice);

#endif
