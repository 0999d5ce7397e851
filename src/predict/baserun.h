/*
 * Where a window lies in the base run: what each stream has done when it starts, and in which
 * order a thread's events come in it, those of its signal handlers included.
 */
#ifndef PREDICT_BASERUN_H
#define PREDICT_BASERUN_H

#include "order/window.h"

/* A stretch of a thread: events of one of its streams, and what comes behind it. */
struct baserun_stretch {
	uint32_t stream; /* position in the trace */
	uint64_t end;	 /* index behind its last event */
	uint32_t next;	 /* in `stretches`, or ORDER_NONE */
};

struct baserun {
	const struct trace *trace;
	uint64_t at; /* the run that the present window starts with */
	/* by position of the stream in the trace */
	uint64_t *start;	/* index of its next event at the start of the window */
	uint64_t *reached;	/* scratch */
	uint32_t *thread;	/* the stream that it interrupts, in the end; else itself */
	uint32_t *first, *last; /* of a thread: in `stretches`, or ORDER_NONE */
	VEC(struct baserun_stretch) stretches;
};

/* How far a thread is to run. */
struct baserun_goal {
	struct window_id id; /* index BASERUN_END: to its end in the window */
	bool with;	     /* with that event, or only up to it */
};
#define BASERUN_END UINT64_MAX

typedef VEC(struct window_id) baserun_ids;

void baserun_open(struct baserun *run, const struct trace *trace);
void baserun_close(struct baserun *run);

/* To the window that has runs[first] … runs[last - 1]. Windows only come forward. */
void baserun_enter(struct baserun *run, const struct window_run *runs, uint64_t first,
		   uint64_t last);

/* Every step that it takes to reach the goals one after the other. */
void baserun_expand(struct baserun *run, const struct baserun_goal *goals, size_t count,
		    baserun_ids *out);

/* The streams that have begun at the start of the window, and their next events. */
void baserun_start(const struct baserun *run, baserun_ids *out);

#endif
