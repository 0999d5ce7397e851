/*
 * Warnings: what a run makes look possible by rules of thumb, of which nothing is proved. They are
 * leads for a search and are shown on request. Havelund, "Using Runtime Analysis to Guide Model
 * Checking of Java Programs" (SPIN 2000), sections 2 and 3.
 *
 * Each adds its findings, of status FINDING_WARNING and without steps, to the result: one for the
 * same code sites, or with `every` one for the same events. They return how many events there are.
 */
#ifndef PREDICT_WARNINGS_WARNINGS_H
#define PREDICT_WARNINGS_WARNINGS_H

#include "predict/driver/predict.h"

/* Memory that no lock protects: FINDING_LOCKSET, two accesses. */
uint64_t predict_eraser(const struct trace *trace, bool every, struct predict_result *result);

/* Locks that threads take in opposite order: FINDING_LOCK_ORDER, the acquisitions of a cycle. */
uint64_t predict_goodlock(const struct trace *trace, bool every, struct predict_result *result);

/* The finding of a key, fresh (count 0) or known, with its count one higher. */
struct map;
struct finding *warnings_put(struct predict_result *result, struct map *known, uint64_t key,
			     enum finding_kind kind);

/* The key of code sites, in any order. */
uint64_t warnings_key(const uint64_t *sites, size_t count);

/* A problem of the trace, each once. */
void warnings_add_problem(struct predict_result *result, const char *text);

#endif
