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
#ifndef ORDER_FEED_H
#define ORDER_FEED_H

#include "trace/trace.h"

/* Handler streams run in the lane of the thread they interrupt; other streams have their own. */
struct feed_event {
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

struct feed;
struct window_survey;

/* `survey` says which memory is shared; NULL: the order of trace/order.h as it is. */
struct feed *feed_open(const struct trace *trace, const struct window_survey *survey);
void feed_close(struct feed *feed);

/* The next event of the base run; notes are left out. Pointers last until the next call. */
bool feed_next(struct feed *feed, struct feed_event *event);

/* The lane of each stream, by position; to be freed. */
uint32_t *feed_map_lanes(const struct trace *trace);

/* What stopped streams before their end, in words; complete after the last event. */
size_t feed_failure_count(const struct feed *feed);
const char *feed_failure(const struct feed *feed, size_t i);

#endif
