/*
 * Which properties of the files are judged: --property NAME,… takes only these, --no-property NAME,… all but
 * these. The others are taken out of the files that were read, so that nobody else needs to know. A
 * recording keeps the choice it was made with: events of other properties are not in it.
 */
#ifndef PIPELINE_PROPERTY_CHOICE_H
#define PIPELINE_PROPERTY_CHOICE_H

#include "spec/spec.h"

struct property_choice_name {
	char *name;
	bool without; /* all but this one; otherwise this one and others that are named so */
};
struct property_choice {
	VEC(struct property_choice_name) names;
};

/* 1: the word at argv[*i] is ours and was taken; 0: it is not; -1: a message was printed. */
int property_choice_read_option(struct property_choice *choice, const char *command, char **argv,
				int *i);

bool property_choice_is_made(const struct property_choice *choice);

/* False: a name that none of the files has; it was printed, with what may have been meant. */
bool property_choice_make(const struct property_choice *choice, const char *command,
			  struct spec_file **files, size_t count);

/* Writes it into a recording; false: `errno` says why. */
bool property_choice_keep(const struct property_choice *choice, const char *trace);
/* The one that a recording keeps; none is made if it keeps none. */
void property_choice_read_kept(struct property_choice *choice, const char *trace);

void property_choice_free(struct property_choice *choice);

#endif
