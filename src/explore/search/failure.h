/* What counts as a failure of a run, and when two failures are one. */
#ifndef EXPLORE_SEARCH_FAILURE_H
#define EXPLORE_SEARCH_FAILURE_H

#include "explore/control/session.h"

struct failure {
	enum control_result result; /* ENDED: it exited with a status that the first run had not */
	int status;
	uint64_t key;	    /* of the kind and the places: one failure, one key */
	uint64_t execution; /* in which it was seen first, from 1 */
	char how[24];	    /* "lead see", "systematic", … */
	char text[CONTROL_TEXT];
	struct plan plan; /* repeats it */
	bool told;
	bool doubtful; /* fibers showed it and kernel threads did not: the search goes on */
};
void failure_free(struct failure *failure);

/*
 * Did this run fail? `usual` is the status of waitpid of runs that do not. Results that say nothing
 * about the program (LIMIT, HUNG, ASLEEP …) are no failures.
 */
bool failure_seen(const struct outcome *outcome, int usual);
uint64_t failure_key(const struct outcome *outcome);

const char *failure_result_name(enum control_result result); /* "assertion failed" */

#endif
