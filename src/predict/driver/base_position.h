/*
 * Where a window lies in the base run: which events of each stream have happened when it starts,
 * and the order of each thread's events in the window, including those of its signal handlers.
 *
 * The analyses work with nodes, which are only the events that other threads can notice. This
 * module turns a list of nodes to reach into the complete steps of a witness.
 */
#ifndef PREDICT_DRIVER_BASE_POSITION_H
#define PREDICT_DRIVER_BASE_POSITION_H

#include "predict/driver/finding.h"

/* Consecutive events of one of a thread's streams, linked to the thread's next slice. */
struct base_slice {
	uint32_t stream; /* position in the trace */
	uint64_t end;	 /* index after its last event */
	uint32_t next;	 /* the thread's next slice: in `slices`, or ORDER_NONE */
};

struct base_position {
	const struct trace *trace;
	uint64_t at; /* the slice of the base run with which the present window starts */
	/* By position of the stream in the trace: */
	uint64_t *start;   /* index of its next event at the start of the window */
	uint64_t *reached; /* scratch */
	/* the thread that owns a handler's stream; otherwise the stream itself */
	uint32_t *thread;
	uint32_t *first, *last; /* a thread's first and last slice: in `slices`, or ORDER_NONE */
	VEC(struct base_slice) slices;
};

/* How far a thread is to run. */
struct base_goal {
	struct event_id id; /* index BASE_POSITION_END: to the end of the stream in the window */
	bool with;	    /* whether the thread runs that event, or stops before it */
};
#define BASE_POSITION_END UINT64_MAX

void base_position_open(struct base_position *base, const struct trace *trace);
void base_position_close(struct base_position *base);

/*
 * Moves to the window that consists of runs[first] … runs[last - 1]. It must not start before the
 * window entered last.
 */
void base_position_enter(struct base_position *base, const struct window_slice *runs,
			 uint64_t first, uint64_t last);

/* Sets `out` to all steps that reach the goals one after the other. */
void base_position_expand(struct base_position *base, const struct base_goal *goals, size_t count,
			  finding_ids *out);

/*
 * Sets `out` to the streams that have begun at the start of the window, each with its next event.
 */
void base_position_start(const struct base_position *base, finding_ids *out);

#endif
