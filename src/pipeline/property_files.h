/*
 * The property files of a command: those that -p names, and which of their properties are checked
 * (property_choice.h). A name without a slash and without ".prop" is a file that comes with sooth
 * (share/sooth/properties). A recording stores the files it was made with and its selection of
 * points, so that it can be checked and replayed later.
 */
#ifndef PIPELINE_PROPERTY_FILES_H
#define PIPELINE_PROPERTY_FILES_H

#include "pipeline/property_choice.h"

#include <limits.h>
#include <stdio.h>

struct property_files {
	const char *command;	       /* "check", for messages */
	VEC(const char *) given;       /* as the user named them */
	struct property_choice choice; /* which of their properties */
	VEC(struct spec_file *) files; /* once they have been read */
	char points
		[PATH_MAX]; /* a temporary file with the selection of points; "": none is needed */
};

/* Reads all files that were given. Returns false after printing all errors in them. */
bool property_files_open(struct property_files *p);

/* Reads the files that a trace was recorded with, unless others were given. */
bool property_files_open_stored(struct property_files *p, const char *trace);

/*
 * Selects the points that the properties need, for every program that is started from here, through
 * SOOTH_OPTIONS. Returns false after a message.
 */
bool property_files_select(struct property_files *p);
/* The same with the selection that a trace was recorded with, if it has one. */
bool property_files_select_stored(const char *command, const char *trace);

/* Stores the files in a recording. Returns false after a message. */
bool property_files_store(const struct property_files *p, const char *trace);

/* Prints "-p FILE " for each file that was given. */
void property_files_print_options(const struct property_files *p, FILE *out);

void property_files_close(struct property_files *p);

#endif
