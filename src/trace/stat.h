/* Counts what a trace contains. */
#ifndef TRACE_STAT_H
#define TRACE_STAT_H

#include "base/intern.h"
#include "base/vec.h"
#include "trace/trace.h"

#define STAT_SIZES 6 /* accesses of 1, 2, 4, 8, 16 and other numbers of bytes */

struct trace_stat {
	uint32_t threads, handlers; /* numbers of streams */
	uint64_t events;	    /* number of events, without notes */
	uint64_t kinds[EV_COUNT];
	uint64_t accesses[STAT_SIZES];
	uint64_t without_value; /* accesses whose value is unknown */
	/* accesses whose value was read separately, not by the access itself */
	uint64_t inexact;
	uint64_t sites, sites_without_value; /* sites of accesses in the modules' tables */
	uint64_t bytes;			     /* size of all blocks, including their headers */
	uint64_t table_bytes;		     /* size of the modules' tables */
	uint64_t stopped[3];		     /* numbers of STOP events, by enum event_stop */
	struct intern unmodelled;	     /* texts of the UNMODELLED events */
	VEC(uint64_t) unmodelled_counts;     /* number of events for each of these texts */
	VEC(char *) failures;		     /* why streams could not be read to their end */
};

void trace_count(const struct trace *trace, struct trace_stat *stat);
void trace_stat_free(struct trace_stat *stat);

#endif
