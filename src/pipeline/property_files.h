/*
 * The property files of a command line: -p FILE, as often as one likes, and which of their properties
 * are judged (property_choice.h). A name without a slash and without ".prop" is one of sooth's own (share/sooth/properties). A recording keeps the files it was
 * made with and its selection of points, so that it can be judged and replayed later.
 */
#ifndef PIPELINE_PROPERTY_FILES_H
#define PIPELINE_PROPERTY_FILES_H

#include "pipeline/property_choice.h"

#include <limits.h>

struct property_files {
	const char *command;	       /* "check", for messages */
	VEC(const char *) given;       /* as the user named them */
	VEC(struct spec_file *) files; /* once they have been read */
	VEC(char *) paths;	       /* where they are */
	struct property_choice choice; /* which of their properties */
	char points[PATH_MAX];	       /* the selection, in a file of our own; "": none is needed */
	bool kept;		       /* they come from a trace */
};

/*
 * 1: the word at argv[*i] is -p, --property or --no-property and was taken; 0: it is not; -1: a message
 * was printed.
 */
int property_files_read_option(struct property_files *p, char **argv, int *i);
extern const char property_files_option_help[];

/* Reads them all. False: what is wrong with them was printed, with carets. */
bool property_files_open(struct property_files *p);

/* Those that a trace was recorded with, if none were given. */
bool property_files_open_kept(struct property_files *p, const char *trace);

/*
 * Makes the selection and hands it on to every program that is started from here, by the
 * environment. False: a message was printed.
 */
bool property_files_select(struct property_files *p);
/* The same with the selection that a trace was recorded with; nothing if there is none. */
bool property_files_select_kept(const char *command, const char *trace);

/* Puts them into a recording. */
bool property_files_keep(const struct property_files *p, const char *trace);

void property_files_close(struct property_files *p);

#endif
