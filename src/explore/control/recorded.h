/*
 * Translates events of a recording, which findings name, to steps, which plans name, and gives the
 * site of an event.
 */
#ifndef EXPLORE_CONTROL_RECORDED_H
#define EXPLORE_CONTROL_RECORDED_H

#include "event/control.h"
#include "trace/trace.h"

struct recorded;

/*
 * Reads each stream up to the event index in `goals` (by position of the stream; 0: nothing of it).
 * NULL: reads all streams to their end.
 */
struct recorded *recorded_open(const struct trace *trace, const uint64_t *goals);
void recorded_close(struct recorded *recorded);

/*
 * Returns how many steps the stream did before its event `index`, or TRACE_NO_STEP if it is not a
 * thread's stream.
 */
uint64_t recorded_steps_before(const struct recorded *recorded, uint32_t stream, uint64_t index);

/* Finds an event; its value is not valid. Returns false if the trace does not have it. */
bool recorded_event(const struct trace *trace, struct event_id id, struct trace_event *event);

/* Returns the site of an event as a controlled run names it (trace/sites.h); 0: not known. */
uint64_t recorded_site(const struct trace *trace, struct event_id id);

#endif
