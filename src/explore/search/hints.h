/*
 * What analyses of the first recording say about where to look: predictions, and the warnings of
 * Eraser and GoodLock. Predicted failures are tried by their witness. Pairs of sites that the
 * analyses name are followed first. Their threads, with all threads that can influence them, are
 * the thread set that is interleaved first (Havelund, SPIN 2000, section 4, calls it the window).
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
	VEC(struct plan) plans; /* one for each predicted deadlock or lost signal */
	VEC(struct hint_pair) pairs;
	bool *threads; /* by thread: is it in the set? NULL: no thread is named, all count */
	uint32_t thread_count;
	size_t predictions, warnings;
};

/* `seconds` is for predictions; warnings are not limited: about a second for 10⁶ events. */
void hints_make(struct hints *hints, const struct trace *trace, double seconds);
void hints_free(struct hints *hints);

#endif
