/* How to run a recorded program again: what its trace says of it. */
#ifndef EXPLORE_CONTROL_COMMAND_LINE_H
#define EXPLORE_CONTROL_COMMAND_LINE_H

#include "trace/trace.h"

struct command_line {
	char **words;	       /* NULL-terminated; the first is the program's file */
	const char *directory; /* where it was started; the trace's text */
};

/* False: the trace does not say, with the reason. */
bool command_line_read(struct command_line *again, const struct trace *trace, struct err *err);
void command_line_free(struct command_line *again);

#endif
