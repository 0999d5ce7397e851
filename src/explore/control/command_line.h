/* The command line of a recorded program, read from its trace and used to run the program again. */
#ifndef EXPLORE_CONTROL_COMMAND_LINE_H
#define EXPLORE_CONTROL_COMMAND_LINE_H

#include "trace/trace.h"

struct command_line {
	char **words;	       /* NULL-terminated; the first word is the program's file */
	const char *directory; /* where the program was started; points into the trace */
};

/* Returns false if the trace has no complete command line; `err` says why. */
bool command_line_read(struct command_line *line, const struct trace *trace, struct err *err);
void command_line_free(struct command_line *line);

#endif
