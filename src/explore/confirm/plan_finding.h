/*
 * Makes a plan that leads to a finding. Its slices are the recorded order up to the window and then
 * the witness. For a race, stops at the two accesses follow.
 */
#ifndef EXPLORE_CONFIRM_PLAN_FINDING_H
#define EXPLORE_CONFIRM_PLAN_FINDING_H

#include "explore/control/runner.h"
#include "predict/driver/finding.h"

/*
 * Fills in slices, stops and options. `reversed`: the second access of a race goes first. Returns
 * false if the finding cannot be replayed; `err` says why.
 */
bool plan_finding(struct plan *plan, const struct trace *trace, const struct finding *finding,
		  bool reversed, struct err *err);

#endif
