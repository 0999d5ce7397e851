/*
 * Chooses which properties of the files are checked: --property NAME,... selects only these,
 * --no-property NAME,... all except these. Properties that are not selected are removed from the
 * files after reading, so no other code needs to know the choice. A recording stores the choice
 * with which it was made, because it lacks the events of the other properties.
 */
#ifndef PIPELINE_PROPERTY_CHOICE_H
#define PIPELINE_PROPERTY_CHOICE_H

#include "spec/spec.h"

struct property_choice_name {
	char *name;
	bool excluded; /* given by --no-property */
};
struct property_choice {
	VEC(struct property_choice_name) names;
};

/* Adds the names of a list "A,B". Returns false if the list has no name. */
bool property_choice_add(struct property_choice *choice, const char *list, bool excluded);

/*
 * Removes the properties that are not chosen from the files. Returns false if a name is in none of
 * the files, after a message that suggests a similar name.
 */
bool property_choice_apply(const struct property_choice *choice, const char *command,
			   struct spec_file **files, size_t count);

/* Writes the choice to a recording. Returns false on failure; `errno` says why. */
bool property_choice_store(const struct property_choice *choice, const char *trace);
/* Adds the names that a recording stores. */
void property_choice_load(struct property_choice *choice, const char *trace);

void property_choice_free(struct property_choice *choice);

#endif
