/* Does a controlled run show the use after end of lifetime that a finding reports? (verify.h) */
#ifndef EXPLORE_CONFIRM_VERIFY_LIFETIME_H
#define EXPLORE_CONFIRM_VERIFY_LIFETIME_H

#include "explore/control/runner.h"
#include "predict/driver/finding.h"

/*
 * For findings whose two events are the end of a lifetime and a use, whatever the finding's kind.
 */
bool verify_lifetime(const struct finding *finding, const uint64_t *keys,
		     const struct outcome *outcome, const struct trace *recording);

#endif
