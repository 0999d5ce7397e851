/*
 * Searches the learned model for runs that would show something new, without running the program.
 * It tries all orders that the model knows (model_exec.h), those with few preemptions first, until
 * one leads to a failure (no thread can run, a freed block is used) or a thread sees something it
 * never saw. Only from there on can running the program show anything; the result is then part of
 * the model.
 */
#ifndef EXPLORE_SEARCH_MODEL_SEARCH_H
#define EXPLORE_SEARCH_MODEL_SEARCH_H

#include "explore/control/runner.h"

enum model_goal {
	MODEL_GOAL_NONE, /* nothing new in the model, or too much to search */
	MODEL_GOAL_FAILURE,
	MODEL_GOAL_NEW_RESULT,	 /* a read or a try has a result that it never had at that site */
	MODEL_GOAL_NEW_SEQUENCE, /* … that it never had after the thread's previous result */
	MODEL_GOAL_NEW_VIEW,	 /* … that it never had after all that the thread saw */
};
const char *model_goal_name(enum model_goal goal);

struct model_search;
struct model_search *model_search_open(void);
void model_search_close(struct model_search *search);

/* Returns false if the run showed nothing new. */
bool model_search_learn(struct model_search *search, const struct outcome *outcome);

/*
 * Appends the slices of the best run that was not tried to the plan, if it is at least as good as
 * `least`.
 */
enum model_goal model_search_next(struct model_search *search, enum model_goal least,
				  struct plan *plan);

/* Is the result of this plan known, and not a failure? */
bool model_search_knows(struct model_search *search, const struct plan *plan);

#endif
