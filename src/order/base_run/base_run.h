/*
 * All events of a trace in one order in which each keeps its recorded result: the *base run*.
 *
 * trace/order.h merges the streams by sequence numbers and times, which leaves open how plain
 * accesses of different threads interleave. The feed repairs that by values: a read that does not
 * find its value waits for the thread that is about to write it; a write lets a thread go first
 * that is about to read what it overwrites. A controlled recording (trace_has_schedule) says itself
 * in which order all was, and nothing is repaired. What no order explains is left where it is, and who
 * walks along treats it as the environment's doing (doc/prediction.md, "Unexplained").
 */
#ifndef ORDER_BASE_RUN_BASE_RUN_H
#define ORDER_BASE_RUN_BASE_RUN_H

#include "trace/trace.h"

/* Handler streams run in the lane of the thread they interrupt; other streams have their own. */
struct base_run_event {
	uint8_t kind, flags;
	uint8_t mode;	 /* field m of sync events: enum event_how, a lock's kind, serial … */
	bool foreign;	 /* sync events of a recording: done by code that was not recorded */
	uint32_t lane;	 /* position of the thread's stream in the trace */
	uint32_t stream; /* number of the event's own stream */
	uint32_t unit;	 /* bytes at value; when fewer than size they repeat */
	uint64_t index, address, size, other, number;
	uint64_t site;	      /* the same for events of one place in the code; 0 unknown */
	const uint8_t *value; /* NULL unknown; ATOMIC_UPDATE: the new one */
	const uint8_t *old;   /* ATOMIC_UPDATE; NULL unknown */
};

struct base_run;
struct share_survey;

/* `survey` says which memory is shared; NULL: the order of trace/order.h as it is. */
struct base_run *base_run_open(const struct trace *trace, const struct share_survey *survey);
void base_run_close(struct base_run *feed);

/* The next event of the base run; notes are left out. Pointers last until the next call. */
bool base_run_next(struct base_run *feed, struct base_run_event *event);

/* The lane of each stream, by position; to be freed. */
uint32_t *base_run_map_lanes(const struct trace *trace);

/* What stopped streams before their end, in words; complete after the last event. */
size_t base_run_failure_count(const struct base_run *feed);
const char *base_run_failure(const struct base_run *feed, size_t i);

#endif
