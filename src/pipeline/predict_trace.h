/*
 * Predicts from traces, checks properties on them, and collects a report for each: what `sooth
 * predict`, `check`, `observe` and `replay` share.
 */
#ifndef PIPELINE_PREDICT_TRACE_H
#define PIPELINE_PREDICT_TRACE_H

#include "pipeline/observe_trace.h"
#include "pipeline/property_files.h"
#include "predict/driver/predict.h"
#include "report/report.h"

#include <stdbool.h>

struct predict_trace {
	const char *command; /* "predict", for messages */
	struct predict_options options;
	struct property_files properties; /* -p; otherwise those that a trace was recorded with */
	struct observe_trace observing;	  /* how formulas are checked on all schedules */
	bool observe_only;		  /* check formulas and predict nothing */
	bool json, warnings;
	/* results */
	VEC(struct report) reports; /* one for each process */
	VEC(char *) problems;	    /* bad input: a sentence each */
	bool fault;		    /* a bug of sooth: the checker rejected a witness */
};

void predict_trace_init(struct predict_trace *p, const char *command);

/* How a recorded process ended, if it failed. */
struct predict_trace_end {
	bool hung; /* all of its threads stayed blocked */
	bool aborted;
	const char *kind;    /* "crash", "assertion"; NULL: it did not fail */
	const char *message; /* says how it failed */
};

/*
 * Opens a trace, predicts, and adds a report. `process` is as in struct report; `end` may be NULL.
 * Failures become problems.
 */
void predict_trace_add(struct predict_trace *p, const char *trace, const char *process,
		       const struct predict_trace_end *end);

/* Adds a problem for each property that should have been checked and was not (report.h). */
void predict_trace_add_unjudged(struct predict_trace *p);

/* The command that replays a finding of the trace, without the finding's id; to be freed. */
char *predict_trace_replay_command(const struct predict_trace *p, const char *trace);

void predict_trace_free(struct predict_trace *p);

#endif
