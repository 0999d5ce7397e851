/* Confirming the findings of a report by replay: what `sooth check` and `sooth replay` share. */
#ifndef PIPELINE_CONFIRM_FINDINGS_H
#define PIPELINE_CONFIRM_FINDINGS_H

#include "explore/confirm/confirm.h"
#include "report/report.h"

struct confirm_findings {
	const char *command;   /* "check", for messages */
	char **program;	       /* how it is run */
	const char *directory; /* and where; NULL: here */
	double seconds;	       /* for everything */
	double run_seconds;    /* for one run; 0: a minute */
	/* the properties that patterns are of */
	struct spec_file *const *files;
	size_t file_count;
};
#define CONFIRM_FINDINGS_SECONDS 30.0

/*
 * Replays the predicted findings of a report, as many as the time allows, and puts in what came of it.
 * Leads of patterns are tried behind them: those that a run shows become findings. False: it was
 * interrupted.
 */
bool confirm_findings_run(const struct confirm_findings *confirming, struct report *report);
/* None of them is replayed, and why. */
void confirm_findings_skip(struct report *report, const char *why);

void confirm_findings_free(struct report *report);

/* Ctrl-C ends the run that is under way and not us, between these two; the word to pass on. */
const volatile int *confirm_findings_catch(void);
void confirm_findings_release(void);

#endif
