/* What `sooth predict` and `sooth check` share: options, the work on one trace, the report. */
#ifndef CLI_PREDICTING_H
#define CLI_PREDICTING_H

#include "cli/observing.h"
#include "cli/properties.h"
#include "predict/predict.h"
#include "report/report.h"

#include <stdbool.h>

struct predicting {
	const char *command; /* "predict", for messages */
	struct predict_options options;
	struct properties properties; /* -p; else those that a trace was recorded with */
	struct observing observing;   /* how formulas are judged on all runs */
	bool observe_only;	      /* and nothing else is done */
	bool json, warnings;
	/* out */
	VEC(struct report) reports; /* a process each */
	VEC(char *) problems;	    /* bad input, in words */
	bool fault;		    /* of ours: a witness was refused */
};

/* Reads the files of -p, if there are any. False: what is wrong was printed. */
bool predicting_open_properties(struct predicting *p);

void predicting_init(struct predicting *p, const char *command);

/* The options' part of a help text. */
extern const char predicting_options_help[];

enum predicting_option { PREDICTING_TAKEN, PREDICTING_OTHER, PREDICTING_BAD };

/*
 * Is the word at argv[*i] one of the options, and what does it say? *i moves on to the last word
 * that was used. PREDICTING_BAD: a message was printed.
 */
enum predicting_option predicting_read_option(struct predicting *p, char **argv, int *i);

/* How a recorded process ended, as far as it was not well. */
struct predicting_end {
	bool hung; /* all of its threads stayed blocked */
	bool aborted;
	const char *kind;    /* "crash", "assertion"; NULL: it did not fail */
	const char *message; /* says how */
};

/*
 * Opens a trace, predicts, and adds a report. `process` as in struct report. What fails becomes a
 * problem. `end` may be NULL.
 */
void predicting_add(struct predicting *p, const char *trace, const char *process,
		    const struct predicting_end *end);

/* What `sooth replay` is called with in front of a finding's id; to be freed. */
char *predicting_replay_command(const struct predicting *p, const char *trace);

/* Frees everything, without a word. */
void predicting_drop(struct predicting *p);

/* Prints everything, to stdout and stderr, and frees it: the exit status. */
int predicting_finish(struct predicting *p);

#endif
