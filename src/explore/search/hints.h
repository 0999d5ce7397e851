/*
 * Hints about where to search, from analyses of the first recording: predictions, and the warnings
 * of Eraser and GoodLock. The witnesses of predicted findings are run first. Leads at pairs of
 * sites that the analyses name get a better rank. The threads that the analyses name, together with
 * all threads that can influence them, form the thread set that is interleaved first. (Havelund,
 * SPIN 2000, section 4, calls this set the window.)
 */
#ifndef EXPLORE_SEARCH_HINTS_H
#define EXPLORE_SEARCH_HINTS_H

#include "base/vec.h"
#include "explore/control/runner.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct hint_pair {
	uint64_t one, other; /* sites */
};

struct hints {
	VEC(struct plan) plans; /* witnesses of predicted findings other than races */
	VEC(struct hint_pair) pairs;
	bool *threads; /* by thread: is it in the set? NULL: all are, because no thread was named */
	uint32_t thread_count;
	size_t predictions, warnings;
};

/*
 * `seconds` limits the predictions. The warnings have no limit; they take about a second for 10⁶
 * events.
 */
void hints_make(struct hints *hints, const struct trace *trace, double seconds);
void hints_free(struct hints *hints);

#endif
