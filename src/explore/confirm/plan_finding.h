/*
 * Makes a plan that leads to a finding: the recorded order up to the window, then the witness, as
 * slices. For a race two stops at the accesses follow.
 */
#ifndef EXPLORE_CONFIRM_PLAN_FINDING_H
#define EXPLORE_CONFIRM_PLAN_FINDING_H

#include "explore/control/runner.h"
#include "predict/driver/finding.h"

/*
 * Fills in slices, stops and options. `reversed`: of a race, the second access goes first. Returns
 * false if the finding cannot be replayed; `err` says why.
 */
bool plan_finding(struct plan *plan, const struct trace *trace, const struct finding *finding,
		  bool reversed, struct err *err);

#endif
