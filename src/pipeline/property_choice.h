/*
 * Which properties of the files are checked: --property NAME,... takes only these, --no-property
 * NAME,... all but these. The others are removed from the files after they were read, so that no
 * other code needs to know of the choice. A recording stores the choice it was made with, because
 * it lacks the events of the other properties.
 */
#ifndef PIPELINE_PROPERTY_CHOICE_H
#define PIPELINE_PROPERTY_CHOICE_H

#include "spec/spec.h"

struct property_choice_name {
	char *name;
	bool excluded; /* by --no-property */
};
struct property_choice {
	VEC(struct property_choice_name) names;
};

/* Adds the names of a list "A,B". Returns false if there are none. */
bool property_choice_add(struct property_choice *choice, const char *list, bool excluded);

/*
 * Removes the other properties from the files. Returns false if a name is in none of the files,
 * after a message with a name that may have been meant.
 */
bool property_choice_apply(const struct property_choice *choice, const char *command,
			   struct spec_file **files, size_t count);

/* Writes the choice into a recording. Returns false with the reason in `errno`. */
bool property_choice_store(const struct property_choice *choice, const char *trace);
/* Adds the names that a recording stores, if any. */
void property_choice_load(struct property_choice *choice, const char *trace);

void property_choice_free(struct property_choice *choice);

#endif
