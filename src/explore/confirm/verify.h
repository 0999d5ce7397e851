/*
 * Does a controlled run show a finding? Judged by what the run itself recorded, at the same places
 * in the code: threads and steps may differ from those of the plan.
 */
#ifndef EXPLORE_CONFIRM_VERIFY_H
#define EXPLORE_CONFIRM_VERIFY_H

#include "explore/control/session.h"
#include "predict/driver/finding.h"

/* The places of a finding's events, in the order of its events; to be freed. */
uint64_t *verify_keys(const struct trace *trace, const struct finding *finding);

/* `keys` as above, of the trace that the finding is of; `recording` is the run's own. */
bool verify_finding(const struct finding *finding, const uint64_t *keys,
		    const struct outcome *outcome, const struct trace *recording);

/*
 * A property's: the recorded order violates it (a match of its pattern, a state in which its formula
 * is violated), that formula of it, at the same places.
 */
bool verify_violation(const struct finding *finding, const uint64_t *keys,
		      struct spec_file *const *files, size_t count, const struct trace *recording);

/* The same for whatever violates that formula of the property of that name, at any places. */
bool verify_property(const char *property, uint32_t formula, struct spec_file *const *files,
		     size_t count, const struct trace *recording);

/* Are these two the same finding, in recordings of one program? */
bool verify_same(const struct finding *a, const uint64_t *a_keys, const struct finding *b,
		 const uint64_t *b_keys);

#endif
