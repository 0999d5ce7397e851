/*
 * The *base run*: all events of a trace in one order in which each event keeps its recorded result.
 *
 * trace/order.h merges the streams by sequence numbers and times. These do not determine how plain
 * accesses of different threads interleave. base_run_repair.h determines it from values: a read
 * that does not find its value waits for the thread that will write this value; a write waits for a
 * thread that will read the value that it overwrites. A controlled recording (trace_has_schedule)
 * contains the order of all events, so nothing is repaired. A read that no order explains keeps its
 * position, and its value counts as written by the environment (doc/prediction.md, "Unexplained
 * events").
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_H
#define ORDER_BASE_RUN_BASE_RUN_H

#include "trace/trace.h"

/*
 * An event's *owner* is the thread that it belongs to. For events of a signal handler this is the
 * thread that the handler interrupted. The owner is given as the position of the thread's stream in
 * the trace.
 */
struct base_run_event {
	uint8_t kind, flags;
	uint8_t mode;	 /* field m of sync events: enum event_how, a lock's kind, serial … */
	bool foreign;	 /* sync events of a recording: done by code that was not recorded */
	uint32_t owner;	 /* position of the owner's stream */
	uint32_t stream; /* number of the event's own stream */
	uint32_t unit;	 /* bytes at value; if fewer than size, they repeat */
	uint64_t index, address, size, other, number;
	uint64_t site;	      /* equal for events of the same site; 0: unknown */
	const uint8_t *value; /* NULL: unknown; ATOMIC_UPDATE: the new value */
	const uint8_t *old;   /* ATOMIC_UPDATE: the old value; NULL: unknown */
};

struct base_run;
struct share_survey;

/* `survey` says which memory is shared; NULL: the order of trace/order.h is not repaired. */
struct base_run *base_run_open(const struct trace *trace, const struct share_survey *survey);
void base_run_close(struct base_run *run);

/* Returns the next event that is not a note. Its pointers are valid until the next call. */
bool base_run_next(struct base_run *run, struct base_run_event *event);

/* Returns the owner of each stream, by position. The caller frees it. */
uint32_t *base_run_map_owners(const struct trace *trace);

/* Messages about streams that could not be read to their end; complete after the last event. */
size_t base_run_failure_count(const struct base_run *run);
const char *base_run_failure(const struct base_run *run, size_t i);

#endif
