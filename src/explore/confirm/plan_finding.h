/*
 * From a finding to a plan that leads there: the recorded order up to the window, then the witness,
 * as runs of steps; behind that, for a race, two stops at the accesses.
 */
#ifndef EXPLORE_CONFIRM_PLAN_FINDING_H
#define EXPLORE_CONFIRM_PLAN_FINDING_H

#include "explore/control/session.h"
#include "predict/driver/finding.h"

/*
 * Fills in runs, stops and options. `reversed`: of a race the second access goes first. False: it
 * cannot be replayed, with the reason.
 */
bool plan_finding(struct plan *plan, const struct trace *trace, const struct finding *finding,
		  bool reversed, struct err *err);

#endif
