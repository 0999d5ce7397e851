/*
 * Formulas that are judged on all runs (src/monitor): their options, and their findings beside those of
 * the prediction. `observe` does only this; `predict -p` and `check -p` do it as well.
 */
#ifndef CLI_OBSERVING_H
#define CLI_OBSERVING_H

#include "cli/properties.h"
#include "monitor/observe.h"
#include "predict/predict.h"

struct observing {
	struct observe_options options;
	bool events_given; /* --events; otherwise what the trace and the causality suggest */
	bool quiet;	   /* no progress, terminal or not */
};

void observing_init(struct observing *observing);

/* The options' part of a help text. */
extern const char observing_options_help[];

/* 1: the word at argv[*i] is one of the options and was taken; 0: it is not; -1: a message was printed. */
int observing_read_option(struct observing *observing, const char *command, char **argv, int *i);

/* Has the set a formula for this? */
bool observing_has_work(const struct property_set *set);

/*
 * Judges, and appends to the result's findings. What the user should know of is in `out`:
 * notes and faults. False: `err` says why nothing could be done.
 */
bool observing_add(const struct observing *observing, const struct trace *trace,
		   const struct property_set *set, const struct properties *files,
		   struct predict_result *result, struct observe_result *out, struct err *err);

/* What a report of these findings shows beside their own events: the steps of both runs. */
typedef VEC(struct window_id) observing_places;
void observing_add_places(const struct predict_result *result,
			  const struct observe_result *observation, observing_places *places);

#endif
