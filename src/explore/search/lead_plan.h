/* From a lead to a plan: the run as it was, but for the rules. */
#ifndef EXPLORE_SEARCH_LEAD_PLAN_H
#define EXPLORE_SEARCH_LEAD_PLAN_H

#include "explore/search/leads.h"

/* Threads of the window; NULL: all of them. */
struct lead_plan_window {
	const bool *threads;
	uint32_t count;
};

/*
 * Fills in the runs and rules; policy, options and limits are the caller's. With a window only its
 * threads are wished for: the others go on when they have to.
 */
void lead_plan_plan(const struct lead *lead, const struct lead_plan_window *window,
		    struct plan *plan);

/* Two leads whose plans have one key make the same run. */
uint64_t lead_plan_key(const struct lead *lead, const struct plan *plan);

/* The runs, time-outs and spurious wake-ups of a whole run as it was: a plan that repeats it. */
void lead_plan_repeat(const struct outcome *outcome, struct plan *plan);

#endif
