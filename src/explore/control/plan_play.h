/*
 * Picks the next thread of a program that is only simulated, according to a plan. The choice is the
 * one that the scheduler makes for real programs (src/runtime/sched/sched_pick.c), as far as
 * slices, rules and the policy CONTROL_STAY go.
 */
#ifndef EXPLORE_CONTROL_PLAN_PLAY_H
#define EXPLORE_CONTROL_PLAN_PLAY_H

#include "explore/control/runner.h"

#define PLAN_NO_THREAD UINT32_MAX

struct plan_player {
	const struct plan *plan;
	uint32_t threads;
	/* can(): is the thread able to run? step(): the number of the thread's next step. */
	bool (*can)(const void *context, uint32_t thread);
	uint32_t (*step)(const void *context, uint32_t thread);
	const void *context;
	/* changed by plan_pick(); all start at 0 */
	size_t run;	  /* the first slice that is not finished */
	uint32_t current; /* the thread that has the turn */
	bool free;	  /* all rules were given up */
	bool broken;	  /* when they were given up, some thread could have run without them */
};

/*
 * Returns the thread that runs after `current` has done its operation, or PLAN_NO_THREAD if no
 * thread can run.
 */
uint32_t plan_pick(struct plan_player *player);

#endif
