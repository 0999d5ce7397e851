/*
 * Finds a schedule with fewer thread switches for a failure: delta debugging (Zeller, Hildebrandt,
 * TSE 2002) over its slices. A schedule without some of its slices is still a valid plan, because
 * slices do not bind the scheduler. If its run fails in the same way with fewer switches, that run
 * is the new schedule.
 */
#ifndef EXPLORE_SEARCH_MINIMISE_H
#define EXPLORE_SEARCH_MINIMISE_H

#include "explore/search/failure.h"

struct minimise_limits {
	uint64_t runs;
	double seconds; /* after that, no further run begins; 0: no limit */
};

/*
 * Makes runs within the limits and replaces failure->plan by the best plan found. Returns the
 * number of runs. `usual` as for failure_seen().
 */
uint64_t minimise_failure(struct executor *executor, struct failure *failure,
			  const struct minimise_limits *limits, int usual);

#endif
