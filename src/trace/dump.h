/* A trace as lines for people: one an event, in an order that can have been. */
#ifndef TRACE_DUMP_H
#define TRACE_DUMP_H

#include "trace/trace.h"

#include <stdio.h>

struct dump_range {
	uint32_t stream;   /* TRACE_NONE: all */
	uint64_t from, to; /* indices; notes are shown when everything is */
};

/* False when a stream could not be read to its end; the lines before that are written. */
bool dump_events(const struct trace *trace, const struct dump_range *range, FILE *out,
		 struct err *err);

#endif
