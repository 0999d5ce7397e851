/* What the analyses say of one window, with nothing in it that needs the window any more. */
#ifndef PREDICT_OUTCOME_H
#define PREDICT_OUTCOME_H

#include "predict/analysis.h"
#include "predict/baserun.h"

/* A finding that the checker has not seen: without steps and start, which `goals` lead to. */
struct outcome_claim {
	struct finding finding;
	enum checker_claim claim;
	uint64_t key;
	VEC(struct baserun_goal) goals;
	/* patterns */
	const struct pattern_formula *pattern;
	VEC(struct checker_choice) choices;
};

struct outcome {
	uint64_t first_run, last_run;
	VEC(struct outcome_claim) claims; /* in order of their last events */
	VEC(struct outcome_claim) leads;  /* of patterns: see predict_result */
	VEC(struct analysis_tries) tries;
	struct predict_stats stats; /* of this window */
};

/* Runs the analyses. `patterns` and `past` may be NULL; `seconds` is the window's share of the time; 0: no limit. */
void outcome_make(struct outcome *outcome, const struct window *window,
		  const struct predict_options *options, const struct pattern_set *patterns,
		  const struct past_view *past, const struct analysis_known *known, double seconds);
void outcome_free(struct outcome *outcome);

#endif
