/*
 * Picks the thread that has the turn next according to a plan, for programs that are only
 * simulated. This is the choice that the scheduler makes for real programs
 * (src/runtime/sched/sched_pick.c), as far as slices, rules and the policy CONTROL_STAY go.
 */
#ifndef EXPLORE_CONTROL_PLAN_PLAY_H
#define EXPLORE_CONTROL_PLAN_PLAY_H

#include "explore/control/runner.h"

#define PLAN_NO_THREAD UINT32_MAX

struct plan_player {
	const struct plan *plan;
	uint32_t threads;
	/* Can a thread run, and what is the number of its next step? */
	bool (*can)(const void *context, uint32_t thread);
	uint32_t (*step)(const void *context, uint32_t thread);
	const void *context;
	/* state */
	size_t run;	  /* the first slice that is not finished */
	uint32_t current; /* the thread that has the turn */
	bool free;	  /* the rules were given up */
	bool broken;	  /* … although some thread could have run without them */
};

/*
 * Returns the thread that runs next after `current` did its operation, or PLAN_NO_THREAD if none
 * can.
 */
uint32_t plan_pick(struct plan_player *player);

#endif
