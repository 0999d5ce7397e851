/* Explains why a run did not do what its plan says. */
#ifndef EXPLORE_CONFIRM_DIVERGENCE_H
#define EXPLORE_CONFIRM_DIVERGENCE_H

#include "explore/control/run_outcome.h"

struct divergence {
	uint32_t thread, step;	     /* the first step that differs, and its thread */
	char text[RUN_OUTCOME_TEXT]; /* the reason: "T1 did not reach …" */
};

/*
 * `recorded`: the trace from which the plan was made. Returns false if no reason is found: the run
 * did every step of the plan.
 */
bool divergence_explain(struct divergence *divergence, const struct plan *plan,
			const struct outcome *outcome, const struct trace *recorded,
			const struct run_outcome_source *source);

/*
 * Did something outside the recording hold up a thread of the plan? It slept in code that is not
 * recorded while it had the turn, or it was in the kernel when the run ended, before its last
 * planned step.
 */
bool divergence_is_outside(const struct plan *plan, const struct outcome *outcome);

#endif
