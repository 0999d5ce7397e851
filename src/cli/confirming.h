/* Confirming the findings of a report by replay: what `sooth check` and `sooth replay` share. */
#ifndef CLI_CONFIRMING_H
#define CLI_CONFIRMING_H

#include "explore/confirm.h"
#include "report/report.h"

struct confirming {
	const char *command;   /* "check", for messages */
	char **program;	       /* how it is run */
	const char *directory; /* and where; NULL: here */
	double seconds;	       /* for everything */
	double run_seconds;    /* for one run; 0: a minute */
	/* the properties that patterns are of */
	struct spec_file *const *files;
	size_t file_count;
};
#define CONFIRMING_SECONDS 30.0

/*
 * Replays the predicted findings of a report, as many as the time allows, and puts in what came of it.
 * Leads of patterns are tried behind them: those that a run shows become findings. False: it was
 * interrupted.
 */
bool confirming_run(const struct confirming *confirming, struct report *report);
/* None of them is replayed, and why. */
void confirming_skip(struct report *report, const char *why);

void confirming_free(struct report *report);

/* Ctrl-C ends the run that is under way and not us, between these two; the word to pass on. */
const volatile int *confirming_catch(void);
void confirming_release(void);

#endif
