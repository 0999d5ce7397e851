/*
 * `sooth explore -p`: each execution is recorded and judged by the properties. One that violates a
 * property, or of which another order does, is a failure as a crash is: kept, repeated, told.
 */
#ifndef PIPELINE_PROPERTY_JUDGE_H
#define PIPELINE_PROPERTY_JUDGE_H

#include "pipeline/observe_trace.h"
#include "explore/control/session.h"

/* Stands in front of an executor whose runs are recorded to `trace`. */
struct property_judge {
	struct executor executor; /* what the search is given */
	struct executor *behind;
	const struct property_files *properties;
	const char *trace;
	uint64_t unknown; /* what was left undecided in all runs; not 0: silence proves nothing */
	/* of the first run: what of the properties can be seen at all */
	struct property_set first;
	struct observe_result first_observation;
	bool has_first;
};
/* What is left from an earlier call with the same struct, which starts as zeroes, is kept. */
void property_judge_open(struct property_judge *judging, struct executor *behind,
			 const struct property_files *properties, const char *trace);

void property_judge_close(struct property_judge *judging);

/*
 * What one recording has of the properties: patterns that are predicted, other formulas on all its
 * runs.
 */
struct property_judge_look {
	struct property_set set;
	struct predict_result result;	   /* findings of both kinds */
	struct observe_result observation; /* has nothing without formulas for it */
};
/* False: it cannot be read. Freed by the caller in any case. */
bool property_judge_look(const struct property_files *properties, const struct trace *trace,
			 struct property_judge_look *look, struct err *err);
void property_judge_look_free(struct property_judge_look *look);

#endif
