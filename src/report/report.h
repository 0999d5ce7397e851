/* What `sooth predict` and `sooth check` tell: as text for people, as JSON for programs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/describe.h"

#include <jansson.h>
#include <stdio.h>

/* What a run showed by itself: a crash, a failed assertion, threads that hung. */
struct report_observed {
	const char *kind; /* "crash", "assertion", "deadlock" */
	char *message;
	VEC(struct window_id) events;
};

/* One recorded process. */
struct report {
	const char *trace;   /* as the user named it */
	const char *process; /* its command, of one that the program started; NULL otherwise */
	struct describe *describe;
	const struct predict_result *result;
	VEC(struct report_observed) observed;
};

/* Findings are numbered for each kind, through all processes of a report. */
struct report_numbers {
	unsigned races, deadlocks, lost_signals, crashes, assertions;
};

/* "race-1". `text` has room for it. */
#define REPORT_ID 40
void report_number(struct report_numbers *numbers, const char *kind, char text[REPORT_ID]);

/* ---- text --------------------------------------------------------------------------------- */

void report_print_findings(const struct report *report, struct report_numbers *numbers, FILE *out);

/* The last line: how many of what, what was left out and why, how long it took. */
void report_print_summary(const struct report *reports, size_t count, FILE *out);

/* ---- JSON --------------------------------------------------------------------------------- */

/* All processes together; `problems` are what kept parts from being read. */
json_t *report_json(const struct report *reports, size_t count, char *const *problems,
		    size_t problem_count);

#endif
