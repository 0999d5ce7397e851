/*
 * Runs that would show something new, worked out without running the program: all orders of what is
 * known of its threads (model_exec.h), with few preemptions first, until one comes to a failure (nobody
 * can go on, a freed block is used) or a thread sees what it never saw. Only from there on is anything
 * to be learnt by running it; what came of it is known for the next time.
 */
#ifndef EXPLORE_SEARCH_MODEL_SEARCH_H
#define EXPLORE_SEARCH_MODEL_SEARCH_H

#include "explore/control/session.h"

enum imagined {
	IMAGINED_NOTHING, /* there is nothing to be seen, or too much to look through */
	IMAGINED_FAILURE,
	IMAGINED_RESULT, /* a read, or a try, comes out as it never did at that place */
	IMAGINED_BEHIND, /* … as it never did behind what the thread saw last */
	IMAGINED_VIEW,	 /* … as it never did behind all that the thread saw */
};
const char *imagined_name(enum imagined imagined);

struct model_search;
struct model_search *model_search_open(void);
void model_search_close(struct model_search *imagine);

/* False: it showed nothing that was not known. */
bool model_search_learn(struct model_search *imagine, const struct outcome *outcome);

/* The best that was not tried, if it is at least so good: its runs are appended to the plan. */
enum imagined model_search_next(struct model_search *imagine, enum imagined least,
				struct plan *plan);

/* Is it known what would come of this plan, and no failure? */
bool model_search_knows(struct model_search *imagine, const struct plan *plan);

#endif
