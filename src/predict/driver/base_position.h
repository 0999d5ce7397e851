/*
 * Where a window lies in the base run: what each stream has done when it starts, and in which
 * order a thread's events come in it, those of its signal handlers included.
 */
#ifndef PREDICT_DRIVER_BASE_POSITION_H
#define PREDICT_DRIVER_BASE_POSITION_H

#include "order/window/window.h"

/* A stretch of a thread: events of one of its streams, and what comes behind it. */
struct base_position_stretch {
	uint32_t stream; /* position in the trace */
	uint64_t end;	 /* index behind its last event */
	uint32_t next;	 /* in `stretches`, or ORDER_NONE */
};

struct base_position {
	const struct trace *trace;
	uint64_t at; /* the run that the present window starts with */
	/* by position of the stream in the trace */
	uint64_t *start;	/* index of its next event at the start of the window */
	uint64_t *reached;	/* scratch */
	uint32_t *thread;	/* the stream that it interrupts, in the end; else itself */
	uint32_t *first, *last; /* of a thread: in `stretches`, or ORDER_NONE */
	VEC(struct base_position_stretch) stretches;
};

/* How far a thread is to run. */
struct base_position_goal {
	struct event_id id; /* index BASE_POSITION_END: to its end in the window */
	bool with;	    /* with that event, or only up to it */
};
#define BASE_POSITION_END UINT64_MAX

typedef VEC(struct event_id) base_position_ids;

void base_position_open(struct base_position *run, const struct trace *trace);
void base_position_close(struct base_position *run);

/* To the window that has runs[first] … runs[last - 1]. Windows only come forward. */
void base_position_enter(struct base_position *run, const struct window_run *runs, uint64_t first,
			 uint64_t last);

/* Every step that it takes to reach the goals one after the other. */
void base_position_expand(struct base_position *run, const struct base_position_goal *goals,
			  size_t count, base_position_ids *out);

/* The streams that have begun at the start of the window, and their next events. */
void base_position_start(const struct base_position *run, base_position_ids *out);

#endif
