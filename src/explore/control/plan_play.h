/*
 * Who has the turn next by a plan, where the program is only played: the same choice that the
 * scheduler makes of a real one (src/runtime/sched/sched_pick.c), as far as runs, rules and staying go.
 */
#ifndef EXPLORE_CONTROL_PLAN_PLAY_H
#define EXPLORE_CONTROL_PLAN_PLAY_H

#include "explore/control/session.h"

#define PLAN_NOBODY UINT32_MAX

struct plan_player {
	const struct plan *plan;
	uint32_t threads;
	/* Can a thread go on, and which is its next step? */
	bool (*can)(const void *context, uint32_t thread);
	uint32_t (*step)(const void *context, uint32_t thread);
	const void *context;
	/* how it goes */
	size_t run;	  /* the first that is not finished */
	uint32_t current; /* who has the turn */
	bool free;	  /* the rules were given up */
	bool broken;	  /* … although somebody could have gone on */
};

/* Who goes on, now that `current` did something; PLAN_NOBODY: nobody can. */
uint32_t plan_pick(struct plan_player *player);

#endif
