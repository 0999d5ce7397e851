/* What the analyses say of one window, with nothing in it that needs the window any more. */
#ifndef PREDICT_DRIVER_WINDOW_RESULT_H
#define PREDICT_DRIVER_WINDOW_RESULT_H

#include "predict/driver/analysis.h"
#include "predict/driver/base_position.h"

/* A finding that the checker has not seen: without steps and start, which `goals` lead to. */
struct window_result_claim {
	struct finding finding;
	enum checker_claim claim;
	uint64_t key;
	VEC(struct base_position_goal) goals;
	/* patterns */
	const struct pattern_formula *pattern;
	VEC(struct checker_choice) choices;
};

struct window_result {
	uint64_t first_run, last_run;
	VEC(struct window_result_claim) claims; /* in order of their last events */
	VEC(struct window_result_claim) leads;	/* of patterns: see predict_result */
	VEC(struct analysis_tries) tries;
	struct predict_stats stats; /* of this window */
};

/* Runs the analyses. `patterns` and `past` may be NULL; `seconds` is the window's share of the time; 0: no limit. */
void window_result_make(struct window_result *outcome, const struct window *window,
			const struct predict_options *options, const struct pattern_set *patterns,
			const struct past_view *past, const struct analysis_known *known,
			double seconds);
void window_result_free(struct window_result *outcome);

#endif
