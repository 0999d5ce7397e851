/*
 * Checks formulas on all schedules of a trace (src/monitor) and adds the violations to the findings
 * of the prediction. `sooth observe` does only this; `predict -p` and `check -p` do it in addition.
 */
#ifndef PIPELINE_OBSERVE_TRACE_H
#define PIPELINE_OBSERVE_TRACE_H

#include "monitor/observe/observe.h"
#include "pipeline/property_files.h"
#include "predict/driver/predict.h"

struct observe_trace {
	struct observe_options options;
	bool events_given; /* --events was given; otherwise trace and causality decide */
	bool quiet;	   /* show no progress on the terminal */
};

void observe_trace_init(struct observe_trace *observing);

/* Does the set have a formula that is checked here? Patterns are not. */
bool observe_trace_has_work(const struct property_set *set);

/*
 * Checks the formulas and appends the violations to the findings in `result`. Stores notes and
 * errors for the user in `out`. Returns false if nothing could be checked; `err` says why.
 */
bool observe_trace_add(const struct observe_trace *observing, const struct trace *trace,
		       const struct property_set *set, const struct property_files *files,
		       struct predict_result *result, struct observe_result *out, struct err *err);

/*
 * Appends the events that a report shows in addition to those of its findings: the steps of a
 * finding's run and of the recorded run.
 */
typedef VEC(struct event_id) observe_trace_events;
void observe_trace_add_shown(const struct predict_result *result,
			     const struct observe_result *observation,
			     observe_trace_events *events);

#endif
