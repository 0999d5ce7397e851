/* Does the recording of a controlled run show a predicted misuse at the same sites? */
#ifndef EXPLORE_CONFIRM_VERIFY_MISUSE_H
#define EXPLORE_CONFIRM_VERIFY_MISUSE_H

#include "explore/control/runner.h"
#include "predict/driver/finding.h"

/*
 * `keys` as in verify.h. For findings of kind misuse that are not a use after the end of a
 * lifetime.
 */
bool verify_misuse(const struct finding *finding, const uint64_t *keys,
		   const struct outcome *outcome, const struct trace *recording);

#endif
