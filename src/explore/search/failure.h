/* Defines what counts as a failure of a run, and when two failures are the same. */
#ifndef EXPLORE_SEARCH_FAILURE_H
#define EXPLORE_SEARCH_FAILURE_H

#include "explore/control/runner.h"

struct failure {
	enum control_result result; /* ENDED: its exit status differs from the first run's */
	int status;
	uint64_t key;	    /* of the kind and the sites: the same failure has the same key */
	uint64_t execution; /* in which it was first seen, from 1 */
	char how[24];	    /* "lead see", "systematic", … */
	char text[CONTROL_TEXT];
	struct plan plan; /* repeats it */
	bool reported;
	bool doubtful; /* fibers showed it and kernel threads did not: the search continues */
};
void failure_free(struct failure *failure);

/*
 * Did this run fail? `usual` is the waitpid status of runs that do not fail. Results that say
 * nothing about the program (LIMIT, HUNG, ASLEEP …) are not failures.
 */
bool failure_seen(const struct outcome *outcome, int usual);
uint64_t failure_key(const struct outcome *outcome);

const char *failure_result_name(enum control_result result); /* "assertion failed" */

#endif
