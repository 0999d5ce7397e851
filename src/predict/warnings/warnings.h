/*
 * Warnings: suspicions by rules of thumb that prove nothing. They serve as leads for a search and
 * are shown on request. Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs"
 * (SPIN 2000), sections 2 and 3.
 *
 * Each analysis adds its findings, with status FINDING_WARNING and without steps, to the result:
 * one for the same code sites, or with `every` one for the same events. It returns the number of
 * events in the trace.
 */
#ifndef PREDICT_WARNINGS_WARNINGS_H
#define PREDICT_WARNINGS_WARNINGS_H

#include "predict/driver/predict.h"

/* Memory that no lock protects: FINDING_LOCKSET, two accesses. */
uint64_t predict_eraser(const struct trace *trace, bool every, struct predict_result *result);

/* Locks that threads take in opposite order: FINDING_LOCK_ORDER, the acquisitions of a cycle. */
uint64_t predict_goodlock(const struct trace *trace, bool every, struct predict_result *result);

/*
 * Returns the finding with these code sites, in any order; created if there is none. Increments its
 * count. `found` maps keys to positions in the result.
 */
struct map;
struct finding *warnings_add(struct predict_result *result, struct map *found,
			     enum finding_kind kind, const uint64_t *sites, size_t count);

/* Adds a problem of the trace, unless the result has it already. */
void warnings_add_problem(struct predict_result *result, const char *text);

#endif
