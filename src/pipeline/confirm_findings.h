/* Confirms the findings of a report by replaying them, for `sooth check` and `sooth replay`. */
#ifndef PIPELINE_CONFIRM_FINDINGS_H
#define PIPELINE_CONFIRM_FINDINGS_H

#include "explore/confirm/confirm.h"
#include "report/report.h"

struct confirm_findings {
	char **program;	       /* NULL-terminated words */
	const char *directory; /* working directory of the program; NULL: the current one */
	double seconds;	       /* time limit for all findings and leads */
	double run_seconds;    /* time limit for one run; 0: a minute */
	/* the files with the properties that findings violate */
	struct spec_file *const *files;
	size_t file_count;
};
#define CONFIRM_FINDINGS_SECONDS 30.0

/*
 * Replays as many of the predicted findings as the time allows and stores the results in the
 * report. Then replays the leads; a lead that a run confirms becomes a finding. Returns false if
 * the user interrupted it.
 */
bool confirm_findings_run(const struct confirm_findings *confirming, struct report *report);
/* Replays nothing; stores the reason in the report. */
void confirm_findings_skip(struct report *report, const char *why);

void confirm_findings_free(struct report *report);

/*
 * From confirm_findings_catch() to confirm_findings_release(), Ctrl-C does not end this process; it
 * only sets a variable, whose address is returned, to a value other than 0.
 */
const volatile int *confirm_findings_catch(void);
void confirm_findings_release(void);

#endif
