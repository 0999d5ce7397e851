/* Does the recording of a run show a region torn at the same places? See verify.h. */
#ifndef EXPLORE_CONFIRM_VERIFY_ATOMICITY_H
#define EXPLORE_CONFIRM_VERIFY_ATOMICITY_H

#include "predict/driver/finding.h"
#include "trace/trace.h"

/* `keys`: of the finding's events, and behind them of where its region begins. */
bool verify_atomicity(const struct finding *finding, const uint64_t *keys,
		      const struct trace *recording);

#endif
