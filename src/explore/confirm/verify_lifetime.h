/* Does a controlled run show the use of what is over that a finding tells of? See verify.h. */
#ifndef EXPLORE_CONFIRM_VERIFY_LIFETIME_H
#define EXPLORE_CONFIRM_VERIFY_LIFETIME_H

#include "explore/control/session.h"
#include "predict/driver/finding.h"

/* Its events are the end of a life and a use, whatever its kind is. */
bool verify_lifetime(const struct finding *finding, const uint64_t *keys,
		     const struct outcome *outcome, const struct trace *recording);

#endif
