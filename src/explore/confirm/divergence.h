/* Why a run did not get where its plan wanted it, in words. */
#ifndef EXPLORE_CONFIRM_DIVERGENCE_H
#define EXPLORE_CONFIRM_DIVERGENCE_H

#include "explore/control/run_outcome.h"

struct divergence {
	uint32_t thread, step;	     /* what came otherwise first */
	char text[RUN_OUTCOME_TEXT]; /* "T1 …" */
};

/*
 * `recorded` is the trace that the plan was made from. False: the run did all that the plan wanted,
 * step by step, and no reason is known.
 */
bool divergence_explain(struct divergence *divergence, const struct plan *plan,
			const struct outcome *outcome, const struct trace *recorded,
			const struct run_outcome_source *source);

#endif
