/*
 * Fewer switches for a schedule that fails: delta debugging (Zeller, Hildebrandt, TSE 2002) over its
 * runs. A schedule with some runs left out is still a plan, because runs are wishes; what it really
 * did is the new schedule if it fails in the same way with fewer switches.
 */
#ifndef EXPLORE_SEARCH_MINIMISE_H
#define EXPLORE_SEARCH_MINIMISE_H

#include "explore/search/failure.h"

/*
 * Runs `executor` at most `most` times. failure->plan is replaced by the best that was found;
 * returns how many runs it took. `usual` as of failure_seen.
 */
uint64_t minimise_failure(struct executor *executor, struct failure *failure, uint64_t most,
			  int usual);

#endif
