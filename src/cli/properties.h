/*
 * The property files of a command line: -p FILE, as often as one likes, and which of their properties
 * are judged (choice.h). A name without a slash and without ".prop" is one of sooth's own (share/sooth/properties). A recording keeps the files it was
 * made with and its selection of points, so that it can be judged and replayed later.
 */
#ifndef CLI_PROPERTIES_H
#define CLI_PROPERTIES_H

#include "cli/choice.h"

#include <limits.h>

struct properties {
	const char *command;	       /* "check", for messages */
	VEC(const char *) given;       /* as the user named them */
	VEC(struct spec_file *) files; /* once they have been read */
	VEC(char *) paths;	       /* where they are */
	struct choice choice;	       /* which of their properties */
	char points[PATH_MAX];	       /* the selection, in a file of our own; "": none is needed */
	bool kept;		       /* they come from a trace */
};

/*
 * 1: the word at argv[*i] is -p, --property or --no-property and was taken; 0: it is not; -1: a message
 * was printed.
 */
int properties_read_option(struct properties *p, char **argv, int *i);
extern const char properties_option_help[];

/* Reads them all. False: what is wrong with them was printed, with carets. */
bool properties_open(struct properties *p);

/* Those that a trace was recorded with, if none were given. */
bool properties_open_kept(struct properties *p, const char *trace);

/*
 * Makes the selection and hands it on to every program that is started from here, by the
 * environment. False: a message was printed.
 */
bool properties_select(struct properties *p);
/* The same with the selection that a trace was recorded with; nothing if there is none. */
bool properties_select_kept(const char *command, const char *trace);

/* Puts them into a recording. */
bool properties_keep(const struct properties *p, const char *trace);

void properties_close(struct properties *p);

#endif
