/*
 * Formulas that are judged on all runs (src/monitor): their options, and their findings beside those of
 * the prediction. `observe` does only this; `predict -p` and `check -p` do it as well.
 */
#ifndef PIPELINE_OBSERVE_TRACE_H
#define PIPELINE_OBSERVE_TRACE_H

#include "pipeline/property_files.h"
#include "monitor/observe/observe.h"
#include "predict/driver/predict.h"

struct observe_trace {
	struct observe_options options;
	bool events_given; /* --events; otherwise what the trace and the causality suggest */
	bool quiet;	   /* no progress, terminal or not */
};

void observe_trace_init(struct observe_trace *observing);

/* The options' part of a help text. */
extern const char observe_trace_options_help[];

/* 1: the word at argv[*i] is one of the options and was taken; 0: it is not; -1: a message was printed. */
int observe_trace_read_option(struct observe_trace *observing, const char *command, char **argv,
			      int *i);

/* Has the set a formula for this? */
bool observe_trace_has_work(const struct property_set *set);

/*
 * Judges, and appends to the result's findings. What the user should know of is in `out`:
 * notes and faults. False: `err` says why nothing could be done.
 */
bool observe_trace_add(const struct observe_trace *observing, const struct trace *trace,
		       const struct property_set *set, const struct property_files *files,
		       struct predict_result *result, struct observe_result *out, struct err *err);

/* What a report of these findings shows beside their own events: the steps of both runs. */
typedef VEC(struct event_id) observe_trace_places;
void observe_trace_add_places(const struct predict_result *result,
			      const struct observe_result *observation,
			      observe_trace_places *places);

#endif
