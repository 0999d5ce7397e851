/* Does the recording of a run show an atomicity violation at the same sites? (verify.h) */
#ifndef EXPLORE_CONFIRM_VERIFY_ATOMICITY_H
#define EXPLORE_CONFIRM_VERIFY_ATOMICITY_H

#include "predict/driver/finding.h"
#include "trace/trace.h"

/*
 * `keys`: the sites of the finding's events, then that of the start of its region (verify_keys()).
 */
bool verify_atomicity(const struct finding *finding, const uint64_t *keys,
		      const struct trace *recording);

#endif
