/* Walking along the schedule of a controlled recording, for trace/order.c. */
#ifndef TRACE_SCHEDULE_H
#define TRACE_SCHEDULE_H

#include "trace/trace.h"

struct schedule_walk {
	const struct trace *trace;
	const struct control_run *runs;
	size_t run, count;
	uint32_t
		stream; /* position of the run's stream; TRACE_NONE: there is none of that thread */
};

/* At the first run. False: there is no schedule, or nothing in it. */
bool schedule_start(struct schedule_walk *walk, const struct trace *trace);

/* False: that was the last. */
bool schedule_next_run(struct schedule_walk *walk);

/*
 * Is the next event of the run's stream part of the run? What is no step (a request, a call) was
 * done in the run of the step before it: a thread gives its turn away in front of a step.
 */
bool schedule_covers(const struct schedule_walk *walk, const struct trace_event *event);

/* … and not behind its last step? */
bool schedule_is_inside(const struct schedule_walk *walk, const struct trace_event *event);

/*
 * The positions of streams that the schedule does not order: of signal handlers, and of what takes
 * no turns. How many; `*positions` is to be freed.
 */
size_t schedule_find_others(const struct trace *trace, uint32_t **positions);

#endif
