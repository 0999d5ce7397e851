/*
 * Searches the learned model for runs that would show something new, without running the program.
 * It tries all orders that the model knows (model_exec.h), those with few preemptions first, until
 * one leads to a failure (no thread can run, a freed block is used) or a thread sees something that
 * it never saw. What happens after that point, only a run of the program can show. The model then
 * learns from that run.
 */
#ifndef EXPLORE_SEARCH_MODEL_SEARCH_H
#define EXPLORE_SEARCH_MODEL_SEARCH_H

#include "explore/control/runner.h"

enum model_goal {
	MODEL_GOAL_NONE, /* the model has nothing new, or too much to search */
	MODEL_GOAL_FAILURE,
	/* a read or try gets a result that no run had at its site, */
	MODEL_GOAL_NEW_RESULT,
	/* or that no run had after the thread's previous result, */
	MODEL_GOAL_NEW_SEQUENCE,
	/* or that no run had after all previous results of the thread */
	MODEL_GOAL_NEW_VIEW,
};
const char *model_goal_name(enum model_goal goal);

struct model_search;
struct model_search *model_search_open(void);
void model_search_close(struct model_search *search);

/* Adds a run to the model. Returns false if the run showed nothing new. */
bool model_search_learn(struct model_search *search, const struct outcome *outcome);

/*
 * Appends to the plan the slices of the best run that was not returned before, if its goal is at
 * least as good as `least`. Returns the goal.
 */
enum model_goal model_search_next(struct model_search *search, enum model_goal least,
				  struct plan *plan);

/* Does the model know the whole run of this plan, and does that run not fail? */
bool model_search_knows(struct model_search *search, const struct plan *plan);

#endif
