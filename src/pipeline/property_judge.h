/*
 * `sooth explore -p`: records each execution and checks the properties on the recording. An
 * execution counts as a failure, as a crash does, if it violates a property in the recorded order
 * or in another order of its events.
 */
#ifndef PIPELINE_PROPERTY_JUDGE_H
#define PIPELINE_PROPERTY_JUDGE_H

#include "explore/control/runner.h"
#include "pipeline/observe_trace.h"

/* Wraps an executor whose runs are recorded to `trace`. */
struct property_judge {
	struct executor executor; /* for the search; must be the first member, because it is cast */
	struct executor *inner;	  /* runs the program */
	const struct property_files *properties;
	const char *trace;
	uint64_t unknown; /* number of open questions in all runs; if not 0, nothing is proved */
	/* of the first run; later runs are compared with it */
	struct property_set first;
	struct observe_result first_observation;
	bool has_first;
};
/* `judging` must be zero before the first call. Further calls keep the results so far. */
void property_judge_open(struct property_judge *judging, struct executor *inner,
			 const struct property_files *properties, const char *trace);

void property_judge_close(struct property_judge *judging);

/*
 * The result of checking the properties on one recording: patterns by prediction, other formulas on
 * all schedules.
 */
struct property_judge_look {
	struct property_set set;
	struct predict_result result;	   /* the findings of both checks */
	struct observe_result observation; /* empty if all formulas are patterns */
};
/*
 * Checks the properties on a recording. Returns false if that is not possible. The caller must call
 * property_judge_look_free() in both cases.
 */
bool property_judge_look(const struct property_files *properties, const struct trace *trace,
			 struct property_judge_look *look, struct err *err);
void property_judge_look_free(struct property_judge_look *look);

#endif
