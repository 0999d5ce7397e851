/*
 * Makes the plan of the control run of a lead: the run that follows the same plan, except that the
 * events of the lead are in their recorded order again. A failure of the lead's run is due to the
 * lead only if the control run does not fail.
 */
#ifndef EXPLORE_CONFIRM_ATTRIBUTE_H
#define EXPLORE_CONFIRM_ATTRIBUTE_H

#include "explore/control/runner.h"
#include "predict/driver/finding.h"
#include "trace/trace.h"

/* Is the finding a lead that only a failure of its run confirms? */
bool attribute_is_needed(const struct finding *finding);

/*
 * Changes the plan of a lead (plan_finding()) into that of its control run. Returns false, with the
 * reason in `err`, if the events cannot be put back.
 */
bool attribute_plan(struct plan *plan, const struct trace *trace, const struct finding *finding,
		    struct err *err);

/*
 * Did the control run end without a failure, with the events in their recorded order? `status`: the
 * exit status of the recorded run, or -1 if it is not known.
 */
bool attribute_is_clean(const struct outcome *outcome, int status);

#endif
