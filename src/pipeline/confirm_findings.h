/* Confirms the findings of a report by replaying them, for `sooth check` and `sooth replay`. */
#ifndef PIPELINE_CONFIRM_FINDINGS_H
#define PIPELINE_CONFIRM_FINDINGS_H

#include "explore/confirm/confirm.h"
#include "report/report.h"

struct confirm_findings {
	char **program;	       /* ends with NULL */
	const char *directory; /* where it runs; NULL: here */
	double seconds;	       /* time limit for everything */
	double run_seconds;    /* time limit for one run; 0: a minute */
	/* the property files that findings of properties refer to */
	struct spec_file *const *files;
	size_t file_count;
};
#define CONFIRM_FINDINGS_SECONDS 30.0

/*
 * Replays as many of the predicted findings as the time allows and puts the results into the
 * report. Then tries the leads: those that a run confirms become findings. Returns false if it was
 * interrupted.
 */
bool confirm_findings_run(const struct confirm_findings *confirming, struct report *report);
/* Replays nothing, and puts the reason into the report. */
void confirm_findings_skip(struct report *report, const char *why);

void confirm_findings_free(struct report *report);

/*
 * Between these two calls, Ctrl-C ends the current run of the program and not this process. Returns
 * a variable that is not 0 after Ctrl-C.
 */
const volatile int *confirm_findings_catch(void);
void confirm_findings_release(void);

#endif
