/* What `sooth predict` and `sooth check` share: options, the work on one trace, the report. */
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
	struct property_files properties; /* -p; else those that a trace was recorded with */
	struct observe_trace observing;	  /* how formulas are judged on all runs */
	bool observe_only;		  /* and nothing else is done */
	bool json, warnings;
	/* out */
	VEC(struct report) reports; /* a process each */
	VEC(char *) problems;	    /* bad input, in words */
	bool fault;		    /* of ours: a witness was refused */
};

/* Reads the files of -p, if there are any. False: what is wrong was printed. */
bool predict_trace_open_properties(struct predict_trace *p);

void predict_trace_init(struct predict_trace *p, const char *command);

/* The options' part of a help text. */
extern const char predict_trace_options_help[];

enum predict_trace_option { PREDICT_TRACE_TAKEN, PREDICT_TRACE_OTHER, PREDICT_TRACE_BAD };

/*
 * Is the word at argv[*i] one of the options, and what does it say? *i moves on to the last word
 * that was used. PREDICT_TRACE_BAD: a message was printed.
 */
enum predict_trace_option predict_trace_read_option(struct predict_trace *p, char **argv, int *i);

/* How a recorded process ended, as far as it was not well. */
struct predict_trace_end {
	bool hung; /* all of its threads stayed blocked */
	bool aborted;
	const char *kind;    /* "crash", "assertion"; NULL: it did not fail */
	const char *message; /* says how */
};

/*
 * Opens a trace, predicts, and adds a report. `process` as in struct report. What fails becomes a
 * problem. `end` may be NULL.
 */
void predict_trace_add(struct predict_trace *p, const char *trace, const char *process,
		       const struct predict_trace_end *end);

/* What `sooth replay` is called with in front of a finding's id; to be freed. */
char *predict_trace_replay_command(const struct predict_trace *p, const char *trace);

/* Frees everything, without a word. */
void predict_trace_drop(struct predict_trace *p);

/* Prints everything, to stdout and stderr, and frees it: the exit status. */
int predict_trace_finish(struct predict_trace *p);

#endif
