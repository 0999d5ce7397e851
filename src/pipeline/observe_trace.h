/*
 * Checks formulas on all schedules of a trace (src/monitor) and adds their violations to the
 * findings of the prediction. `sooth observe` does only this; `predict -p` and `check -p` do it as
 * well.
 */
#ifndef PIPELINE_OBSERVE_TRACE_H
#define PIPELINE_OBSERVE_TRACE_H

#include "monitor/observe/observe.h"
#include "pipeline/property_files.h"
#include "predict/driver/predict.h"

struct observe_trace {
	struct observe_options options;
	bool events_given; /* --events; otherwise the trace and the causality decide */
	bool quiet;	   /* no progress on the terminal */
};

void observe_trace_init(struct observe_trace *observing);

/* Does the set have a formula that is checked this way? */
bool observe_trace_has_work(const struct property_set *set);

/*
 * Checks the formulas and appends the violations to the findings in `result`. Stores notes and
 * errors for the user in `out`. Returns false, with the reason in `err`, if nothing could be
 * checked.
 */
bool observe_trace_add(const struct observe_trace *observing, const struct trace *trace,
		       const struct property_set *set, const struct property_files *files,
		       struct predict_result *result, struct observe_result *out, struct err *err);

/* Adds the events that a report shows besides those of the findings: the steps of both runs. */
typedef VEC(struct event_id) observe_trace_events;
void observe_trace_add_shown(const struct predict_result *result,
			     const struct observe_result *observation,
			     observe_trace_events *events);

#endif
