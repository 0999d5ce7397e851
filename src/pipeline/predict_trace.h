/*
 * Predicts from traces, checks properties on them, and makes a report for each. Shared by `sooth
 * predict`, `check`, `observe` and `replay`.
 */
#ifndef PIPELINE_PREDICT_TRACE_H
#define PIPELINE_PREDICT_TRACE_H

#include "pipeline/observe_trace.h"
#include "pipeline/property_files.h"
#include "predict/driver/predict.h"
#include "report/report.h"

#include <stdbool.h>

struct predict_trace {
	const char *command; /* such as "predict", for messages */
	struct predict_options options;
	struct property_files properties; /* -p; without it, the files that a trace stores */
	struct observe_trace observing;	  /* how formulas are checked on all schedules */
	bool observe_only;		  /* only check formulas; predict nothing */
	bool json, warnings, benign;
	/* results */
	VEC(struct report) reports; /* one for each trace */
	VEC(char *) problems;	    /* what is wrong with the input, one sentence each */
	bool fault;		    /* the checker rejected a witness: a bug in sooth */
};

void predict_trace_init(struct predict_trace *p, const char *command);

/* How a recorded process ended. */
struct predict_trace_end {
	bool hung; /* all its threads stayed blocked, so it was killed */
	bool aborted;
	const char *kind;    /* kind of the failure: "crash", "assertion"; NULL: none */
	const char *message; /* describes the failure */
};

/*
 * Opens a trace, predicts, and adds a report. `process` is as in struct report; `end` may be NULL.
 * Each step that fails adds a problem.
 */
void predict_trace_add(struct predict_trace *p, const char *trace, const char *process,
		       const struct predict_trace_end *end);

/*
 * Adds a problem for each property that should have been checked but was not (report_unjudged()).
 */
void predict_trace_add_unjudged(struct predict_trace *p);

/*
 * Returns the command that replays a finding of the trace; the finding's id is to be appended. The
 * caller frees it.
 */
char *predict_trace_replay_command(const struct predict_trace *p, const char *trace);

void predict_trace_free(struct predict_trace *p);

#endif
