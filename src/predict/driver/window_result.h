/* The results of all analyses for one window, in a form that no longer needs the window. */
#ifndef PREDICT_DRIVER_WINDOW_RESULT_H
#define PREDICT_DRIVER_WINDOW_RESULT_H

#include "predict/driver/analysis.h"
#include "predict/driver/base_position.h"

/*
 * A finding before it is checked. Its steps and its start are not set yet: they are made from
 * `goals`.
 */
struct window_result_claim {
	struct finding finding;
	enum checker_claim claim;
	uint64_t key;
	VEC(struct base_goal) goals;
	/* patterns only */
	const struct pattern_formula *pattern;
	VEC(struct checker_choice) choices;
};

typedef VEC(struct window_result_claim) window_result_claims;

struct window_result {
	uint64_t first_slice, last_slice;
	window_result_claims claims; /* in the order of their last events */
	window_result_claims leads;  /* see predict_result.leads */
	VEC(struct failed_queries) failures;
	struct predict_stats stats; /* of this window */
};

/*
 * Runs the analyses. `patterns` and `past` may be NULL; `seconds` is the window's share of the
 * time, 0 if there is no limit.
 */
void window_result_make(struct window_result *result, const struct window *window,
			const struct predict_options *options, const struct pattern_set *patterns,
			const struct past_view *past, const struct seen_sites *seen,
			double seconds);
void window_result_free(struct window_result *result);

#endif
