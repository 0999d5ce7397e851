/* Explains why a run did not get where its plan wanted it. */
#ifndef EXPLORE_CONFIRM_DIVERGENCE_H
#define EXPLORE_CONFIRM_DIVERGENCE_H

#include "explore/control/run_outcome.h"

struct divergence {
	uint32_t thread, step;	     /* the first that differed */
	char text[RUN_OUTCOME_TEXT]; /* "T1 …" */
};

/*
 * `recorded` is the trace that the plan was made from. Returns false if the run did everything in
 * the plan, step by step, and no reason is known.
 */
bool divergence_explain(struct divergence *divergence, const struct plan *plan,
			const struct outcome *outcome, const struct trace *recorded,
			const struct run_outcome_source *source);

#endif
