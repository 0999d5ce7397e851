/* Does a controlled run show the use of what is over that a finding tells of? See verify.h. */
#ifndef EXPLORE_VERIFY_FREED_H
#define EXPLORE_VERIFY_FREED_H

#include "explore/session.h"
#include "predict/finding.h"

/* Its events are the end of a life and a use, whatever its kind is. */
bool verify_freed(const struct finding *finding, const uint64_t *keys,
		  const struct outcome *outcome, const struct trace *recording);

#endif
