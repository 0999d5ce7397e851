/* Counts what a trace contains. */
#ifndef TRACE_STAT_H
#define TRACE_STAT_H

#include "base/intern.h"
#include "base/vec.h"
#include "trace/trace.h"

#define STAT_SIZES 6 /* accesses of 1, 2, 4, 8, 16 and other numbers of bytes */

struct trace_stat {
	uint32_t threads, handlers; /* numbers of streams */
	uint64_t events;	    /* those with an index */
	uint64_t kinds[EV_COUNT];
	uint64_t accesses[STAT_SIZES];
	uint64_t without_value; /* accesses */
	/* accesses whose value was read separately, not by the access itself */
	uint64_t inexact;
	uint64_t sites, sites_without_value; /* of accesses, in the modules' tables */
	uint64_t bytes;			     /* of blocks, including their headers */
	uint64_t table_bytes;		     /* of the modules' tables */
	uint64_t stopped[3];		     /* streams, by enum event_stop */
	struct intern unmodelled;	     /* names … */
	VEC(uint64_t) unmodelled_counts;     /* … and how often each occurs */
	VEC(char *) failures;		     /* what stopped streams before their end */
};

void trace_count(const struct trace *trace, struct trace_stat *stat);
void trace_stat_free(struct trace_stat *stat);

#endif
