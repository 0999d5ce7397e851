/* Does the recording of a controlled run show misuse that was predicted, at the same places? */
#ifndef EXPLORE_VERIFY_MISUSED_H
#define EXPLORE_VERIFY_MISUSED_H

#include "explore/session.h"
#include "predict/finding.h"

/* `keys` as in verify.h. For findings of kind misuse that are not of a life (finding.h). */
bool verify_misused(const struct finding *finding, const uint64_t *keys,
		    const struct outcome *outcome, const struct trace *recording);

#endif
