/*
 * Decides whether a controlled run shows a finding. The run's own recording must show it at the
 * same sites. Threads and steps may differ from those of the plan.
 */
#ifndef EXPLORE_CONFIRM_VERIFY_H
#define EXPLORE_CONFIRM_VERIFY_H

#include "explore/control/runner.h"
#include "order/base_run/base_run.h"
#include "predict/driver/finding.h"

/*
 * Returns the keys of the sites of a finding's events, in the order of the events. For an atomicity
 * violation, the key of the start of its region follows. The caller frees the array.
 */
uint64_t *verify_keys(const struct trace *trace, const struct finding *finding);

/*
 * Returns the key of an event's site. Sites in the base run are addresses of this process: elements
 * of site tables, or return addresses.
 */
uint64_t verify_event_key(const struct trace *recording, const struct base_run_event *event);

/*
 * `keys`: as above, from the trace in which the finding was predicted. `recording`: that of the
 * controlled run.
 */
bool verify_finding(const struct finding *finding, const uint64_t *keys,
		    const struct outcome *outcome, const struct trace *recording);

/*
 * For a finding that violates a property: does the recorded order violate the same formula at the
 * same sites? A violation is a match of a pattern, or a state in which another formula is violated.
 */
bool verify_violation(const struct finding *finding, const uint64_t *keys,
		      struct spec_file *const *files, size_t count, const struct trace *recording);

/* Does the recorded order violate this formula of the named property, at any sites? */
bool verify_property(const char *property, uint32_t formula, struct spec_file *const *files,
		     size_t count, const struct trace *recording);

/* Are these the same finding, in two recordings of one program? */
bool verify_same(const struct finding *a, const uint64_t *a_keys, const struct finding *b,
		 const uint64_t *b_keys);

#endif
