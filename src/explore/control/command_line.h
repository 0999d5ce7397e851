/* The command line of a recorded program, from its trace: how to run it again. */
#ifndef EXPLORE_CONTROL_COMMAND_LINE_H
#define EXPLORE_CONTROL_COMMAND_LINE_H

#include "trace/trace.h"

struct command_line {
	char **words;	       /* NULL-terminated; the first is the program's file */
	const char *directory; /* where it was started; text in the trace */
};

/* Returns false if the trace does not have it; `err` says why. */
bool command_line_read(struct command_line *line, const struct trace *trace, struct err *err);
void command_line_free(struct command_line *line);

#endif
