/* Prints a trace in readable form: one line per event, in a possible order. */
#ifndef TRACE_DUMP_H
#define TRACE_DUMP_H

#include "trace/trace.h"

#include <stdio.h>

struct dump_range {
	uint32_t stream;   /* TRACE_NONE: all streams */
	uint64_t from, to; /* event indices; notes are shown only if the range covers everything */
};

/* Returns false if a stream could not be read to its end; the lines before that are printed. */
bool dump_events(const struct trace *trace, const struct dump_range *range, FILE *out,
		 struct err *err);

#endif
