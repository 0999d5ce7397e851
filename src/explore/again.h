/* How to run a recorded program again: what its trace says of it. */
#ifndef EXPLORE_AGAIN_H
#define EXPLORE_AGAIN_H

#include "trace/trace.h"

struct again {
	char **words;	       /* NULL-terminated; the first is the program's file */
	const char *directory; /* where it was started; the trace's text */
};

/* False: the trace does not say, with the reason. */
bool again_read(struct again *again, const struct trace *trace, struct err *err);
void again_free(struct again *again);

#endif
