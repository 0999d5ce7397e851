/*
 * `sooth explore -p`: each execution is recorded and the properties are checked on the recording.
 * An execution that violates a property, itself or in another order of its events, is a failure, as
 * a crash is.
 */
#ifndef PIPELINE_PROPERTY_JUDGE_H
#define PIPELINE_PROPERTY_JUDGE_H

#include "explore/control/runner.h"
#include "pipeline/observe_trace.h"

/* Wraps an executor whose runs are recorded to `trace`. */
struct property_judge {
	struct executor executor; /* for the search; must be the first member */
	struct executor *inner;	  /* runs the program */
	const struct property_files *properties;
	const char *trace;
	uint64_t unknown; /* what was left undecided in all runs; if not 0, nothing is proved */
	/* the first run shows which events of the properties can be seen at all */
	struct property_set first;
	struct observe_result first_observation;
	bool has_first;
};
/* The struct starts as zeroes. Another call keeps the results of the calls before. */
void property_judge_open(struct property_judge *judging, struct executor *inner,
			 const struct property_files *properties, const char *trace);

void property_judge_close(struct property_judge *judging);

/* The properties on one recording: patterns by prediction, other formulas on all schedules. */
struct property_judge_look {
	struct property_set set;
	struct predict_result result;	   /* the findings of both */
	struct observe_result observation; /* empty without formulas other than patterns */
};
/* Returns false if the recording cannot be read. The caller frees `look` in any case. */
bool property_judge_look(const struct property_files *properties, const struct trace *trace,
			 struct property_judge_look *look, struct err *err);
void property_judge_look_free(struct property_judge_look *look);

#endif
