/* From a lead to a plan: the run as it was, but for the rules. */
#ifndef EXPLORE_STEER_H
#define EXPLORE_STEER_H

#include "explore/leads.h"

/* Threads of the window; NULL: all of them. */
struct steer_window {
	const bool *threads;
	uint32_t count;
};

/*
 * Fills in the runs and rules; policy, options and limits are the caller's. With a window only its
 * threads are wished for: the others go on when they have to.
 */
void steer_plan(const struct lead *lead, const struct steer_window *window, struct plan *plan);

/* Two leads whose plans have one key make the same run. */
uint64_t steer_key(const struct lead *lead, const struct plan *plan);

/* The runs, time-outs and spurious wake-ups of a whole run as it was: a plan that repeats it. */
void steer_repeat(const struct outcome *outcome, struct plan *plan);

#endif
