/* Walks along the schedule of a controlled recording, for trace/order.c. */
#ifndef TRACE_SCHEDULE_H
#define TRACE_SCHEDULE_H

#include "trace/trace.h"

struct schedule_walk {
	const struct trace *trace;
	const struct control_slice *slices;
	size_t slice, count;
	uint32_t stream; /* position of the slice's stream; TRACE_NONE if the thread has none */
};

/* Starts at the first slice. Returns false if there is no schedule or it is empty. */
bool schedule_start(struct schedule_walk *walk, const struct trace *trace);

/* Goes to the next slice. Returns false if there is none. */
bool schedule_next_slice(struct schedule_walk *walk);

/*
 * Does `event`, the next event of the slice's stream, belong to the slice? An event that is not a
 * step (a request, a call) belongs to the slice of the step before it, because a thread passes the
 * turn right before a step.
 */
bool schedule_covers(const struct schedule_walk *walk, const struct trace_event *event);

/* Does the event come before the slice's last step is done? */
bool schedule_is_inside(const struct schedule_walk *walk, const struct trace_event *event);

/*
 * Finds the streams that the schedule does not order: signal handlers, and threads that take no
 * turns. Returns their number; the caller frees `*positions`.
 */
size_t schedule_find_others(const struct trace *trace, uint32_t **positions);

#endif
