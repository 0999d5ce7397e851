/*
 * Findings refer to events of a recording, plans refer to steps. This module translates events to
 * steps, and finds an event and its site.
 */
#ifndef EXPLORE_CONTROL_RECORDED_H
#define EXPLORE_CONTROL_RECORDED_H

#include "event/control.h"
#include "trace/trace.h"

struct recorded;

/*
 * Reads each stream up to the event with the index goals[i], where i is the position of the stream;
 * 0: does not read the stream. `goals` NULL: reads all streams to their ends.
 */
struct recorded *recorded_open(const struct trace *trace, const uint64_t *goals);
void recorded_close(struct recorded *recorded);

/*
 * Returns the number of steps that the stream did before its event `index`, or TRACE_NO_STEP if the
 * stream is not a thread's but a signal handler's.
 */
uint64_t recorded_steps_before(const struct recorded *recorded, uint32_t stream, uint64_t index);

/*
 * Finds an event. Its `value` is not valid after the return. Returns false if the trace does not
 * have the event.
 */
bool recorded_event(const struct trace *trace, struct event_id id, struct trace_event *event);

/* Returns the site of an event, as a controlled run names sites (trace/sites.h); 0: not known. */
uint64_t recorded_site(const struct trace *trace, struct event_id id);

#endif
