/*
 * Does a controlled run show a finding? The run's own recording decides, and it must show the
 * finding at the same sites. Threads and steps may differ from those of the plan.
 */
#ifndef EXPLORE_CONFIRM_VERIFY_H
#define EXPLORE_CONFIRM_VERIFY_H

#include "explore/control/runner.h"
#include "order/base_run/base_run.h"
#include "predict/driver/finding.h"

/*
 * Returns the keys of the sites of a finding's events, in the order of its events; the caller frees
 * them.
 */
uint64_t *verify_keys(const struct trace *trace, const struct finding *finding);

/*
 * Returns the key of an event's site. The base run has sites as this process knows them:
 * elements of tables, or return addresses.
 */
uint64_t verify_event_key(const struct trace *recording, const struct base_run_event *event);

/* `keys` as above, from the trace that the finding comes from; `recording` is the run's own. */
bool verify_finding(const struct finding *finding, const uint64_t *keys,
		    const struct outcome *outcome, const struct trace *recording);

/*
 * For the finding of a property: does the recorded order violate the same formula (a match of a
 * pattern, a state in which a formula is violated) at the same sites?
 */
bool verify_violation(const struct finding *finding, const uint64_t *keys,
		      struct spec_file *const *files, size_t count, const struct trace *recording);

/* The same for any violation of that formula of the named property, at any sites. */
bool verify_property(const char *property, uint32_t formula, struct spec_file *const *files,
		     size_t count, const struct trace *recording);

/* Are these two the same finding, in recordings of one program? */
bool verify_same(const struct finding *a, const uint64_t *a_keys, const struct finding *b,
		 const uint64_t *b_keys);

#endif
