/*
 * The report that `sooth predict`, `check`, `observe` and `explore` print: as text for people, as
 * JSON for programs.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "explore/confirm/confirm.h"
#include "monitor/observe/observe.h"
#include "report/describe.h"

#include <jansson.h>
#include <stdio.h>

/* A code site without an event: of an assertion, or of an access that did not happen. */
struct report_site {
	uint32_t thread;
	const char *operation; /* "assertion"; NULL: there is no such site */
	char *file, *function; /* or NULL */
	unsigned line;
};

/* A failure that a run showed by itself: a crash, a failed assertion, threads that hung. */
struct report_observed {
	const char *kind; /* "crash", "assertion", "deadlock" */
	char *message;
	enum finding_status status; /* CONFIRMED: `sooth explore` found it and repeated it */
	struct report_site site;
	VEC(struct event_id) events;
	bool ends;    /* the event is a free, and the site a use of the freed memory */
	char *replay; /* the command that replays it, or NULL */
};

/* One recorded process. */
struct report {
	const char *trace;   /* as the user named it */
	const char *process; /* the command, if the program started the process; otherwise NULL */
	struct describe *describe;
	const struct predict_result *result;
	VEC(struct report_observed) observed;
	/* The result of replaying each finding; NULL: nothing was replayed. */
	const struct confirmation *confirmations;
	/* The command that replays a finding, without the id: "sooth replay x.sooth"; or NULL. */
	const char *replay;
	/* A whole command for each finding, or NULL; NULL: `replay` counts. */
	char *const *replays;
	/* The properties that were checked, with their files; NULL: none. */
	const struct property_set *properties;
	struct spec_file *const *files;
	size_t file_count;
	const struct observe_result *observation; /* formulas on all schedules; NULL: none */
	bool observed_only;			  /* nothing was predicted */
};

/*
 * Findings are numbered for each kind, through all processes of a report, in the order in which
 * they were found, so that `sooth replay` gives them the same numbers. A report lists them in
 * another order: first what was observed, then what was confirmed, then what was predicted.
 */
#define REPORT_KINDS 16
struct report_numbers {
	const char *kinds[REPORT_KINDS];
	unsigned counts[REPORT_KINDS];
};

/* A finding or an observed failure, in the order of the report. */
#define REPORT_ID 40
struct report_item {
	char id[REPORT_ID];	       /* "race-1" */
	const struct finding *finding; /* NULL: it is an observed failure */
	const struct report_observed *observed;
	const struct confirmation *confirmation; /* may be NULL */
};
typedef VEC(struct report_item) report_items;
void report_list(const struct report *report, struct report_numbers *numbers, report_items *items);

/* The observation's data for a finding of a formula; NULL: it is another finding. */
const struct observe_finding *report_observed_finding(const struct report *report,
						      const struct finding *finding);

/* Does the report have findings other than warnings? Observed failures do not count. */
bool report_has_findings(const struct report *report);

void report_observed_free(struct report_observed *observed);

/* The command that replays a finding, to be freed; NULL: there is none. */
char *report_replay(const struct report *report, const struct report_item *item);

/* ---- text ------------------------------------------------------------------------------------ */

void report_print_findings(const struct report *report, struct report_numbers *numbers, FILE *out);

/* The last lines: how many findings, what was left out and why, how long it took. */
void report_print_summary(const struct report *reports, size_t count, FILE *out);

/* The verdict on each property: violated, not violated, or not judged and why. */
void report_print_properties(const struct report *reports, size_t count, FILE *out);

/*
 * Sentences about properties that were not judged although they should have been. These are: a
 * property of which the program has all that it needs, but some of that could not be recorded; a
 * grammar that was given up; and a file of which no property was judged. A property that needs
 * something which this program does not have is not among them if others of its file were judged,
 * because a file may serve several programs.
 */
struct report_sentences {
	VEC(char *) list;
};
void report_unjudged(const struct report *reports, size_t count, struct report_sentences *out);
void report_sentences_free(struct report_sentences *sentences);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A string; null for NULL. */
json_t *report_json_text(const char *text);

/* A list with an object for each property. */
json_t *report_json_properties(const struct report *reports, size_t count);

/* All processes together; `problems` are sentences about input that could not be read. */
json_t *report_json(const struct report *reports, size_t count, char *const *problems,
		    size_t problem_count);

#endif
