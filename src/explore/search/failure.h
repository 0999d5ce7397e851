/* Defines what counts as a failure of a run, and when two failures are the same. */
#ifndef EXPLORE_SEARCH_FAILURE_H
#define EXPLORE_SEARCH_FAILURE_H

#include "explore/control/runner.h"

struct failure {
	enum control_result result; /* ENDED: with another exit status than the first run */
	int status;
	uint64_t key; /* hash of the kind and the sites; failures with equal keys are the same */
	uint64_t execution; /* the execution (from 1) that first showed it */
	char how[24];	    /* the kind of that run: "lead see", "systematic", … */
	char text[CONTROL_TEXT];
	struct plan plan; /* a plan that repeats the failing run */
	bool reported;
	bool doubtful; /* shown with fibers but not with kernel threads: the search continues */
};
void failure_free(struct failure *failure);

/*
 * Did this run fail? `usual` is the wait status of runs that do not fail. Results that say nothing
 * about the program (LIMIT, HUNG, ASLEEP …) are not failures.
 */
bool failure_seen(const struct outcome *outcome, int usual);
uint64_t failure_key(const struct outcome *outcome);

const char *failure_result_name(enum control_result result); /* such as "assertion failed" */

#endif
