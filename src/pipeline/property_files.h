/*
 * The property files of a command: the files of -p, and which of their properties are checked
 * (property_choice.h). A name without a slash and without ".prop" means a file that comes with
 * sooth (share/sooth/properties). A recording stores its property files and its selection of
 * points, so that it can be checked and replayed later.
 */
#ifndef PIPELINE_PROPERTY_FILES_H
#define PIPELINE_PROPERTY_FILES_H

#include "pipeline/property_choice.h"

#include <limits.h>
#include <stdio.h>

struct property_files {
	const char *command;	       /* such as "check", for messages */
	VEC(const char *) given;       /* the names as the user wrote them */
	struct property_choice choice; /* which of their properties to check */
	VEC(struct spec_file *) files; /* empty until they are read */
	char points
		[PATH_MAX]; /* a temporary file with the selection of points; "": none is needed */
};

/* Reads all files in `given`. Returns false after printing the errors of all of them. */
bool property_files_open(struct property_files *p);

/* Reads the files that a trace stores, unless -p named files. */
bool property_files_open_stored(struct property_files *p, const char *trace);

/*
 * Selects the points that the properties need, in SOOTH_OPTIONS, for every program that this
 * process starts. Returns false after a message.
 */
bool property_files_select(struct property_files *p);
/* The same, with the selection of points that a trace stores, if any. */
bool property_files_select_stored(const char *command, const char *trace);

/* Stores the files in a recording. Returns false after a message. */
bool property_files_store(const struct property_files *p, const char *trace);

/* Prints "-p FILE " for each file that was given. */
void property_files_print_options(const struct property_files *p, FILE *out);

void property_files_close(struct property_files *p);

#endif
