/* What `sooth predict` and `sooth check` tell: as text for people, as JSON for programs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "explore/confirm/confirm.h"
#include "monitor/observe/observe.h"
#include "report/describe.h"

#include <jansson.h>
#include <stdio.h>

/* A place that is no event's: where an assertion stands, or an access that did not happen. */
struct report_place {
	uint32_t thread;
	const char *operation; /* "assertion"; NULL: there is no such place */
	char *file, *function; /* or NULL */
	unsigned line;
};

/* What a run showed by itself: a crash, a failed assertion, threads that hung. */
struct report_observed {
	const char *kind; /* "crash", "assertion", "deadlock" */
	char *message;
	enum finding_status status; /* CONFIRMED: a search found it and repeated it */
	struct report_place place;
	VEC(struct event_id) events;
	bool ends;    /* the event is a free, and the place a use of what it freed */
	char *replay; /* the command that shows it again, or NULL */
};

/* One recorded process. */
struct report {
	const char *trace;   /* as the user named it */
	const char *process; /* its command, of one that the program started; NULL otherwise */
	struct describe *describe;
	const struct predict_result *result;
	VEC(struct report_observed) observed;
	/* What replaying each finding showed; NULL: nothing was replayed. */
	const struct confirmation *confirmations;
	/* The command that a finding's id completes: "sooth replay bank.sooth"; NULL: there is none. */
	const char *replay;
	/* Or for each finding all of its command, or NULL; NULL: as above. */
	char *const *replays;
	/* The properties that it was judged by, with their files; NULL: none. */
	const struct property_set *properties;
	struct spec_file *const *files;
	size_t file_count;
	const struct observe_result *observation; /* formulas on all runs; NULL: none were judged */
	bool observed_only;			  /* nothing was predicted */
};

/*
 * Findings are numbered for each kind, through all processes of a report, in the order in which they
 * were found, so that `sooth replay` numbers them alike. They are told in another order: what was
 * observed, what was confirmed, then what was predicted.
 */
struct report_numbers {
	unsigned races, deadlocks, lost_signals, crashes, assertions, locksets, lock_orders,
		uses_after_free, misuses, atomicities, patterns, formulas, expressions, monitors,
		grammars;
};

/* "race-1". `text` has room for it. */
#define REPORT_ID 40
void report_number(struct report_numbers *numbers, const char *kind, char text[REPORT_ID]);

/* A finding, or something observed, in the order of telling. */
struct report_item {
	char id[REPORT_ID];
	const struct finding *finding; /* NULL: */
	const struct report_observed *observed;
	const struct confirmation *confirmation; /* may be NULL */
};
typedef VEC(struct report_item) report_items;
void report_list(const struct report *report, struct report_numbers *numbers, report_items *items);

/* What the observation knows of a finding of a formula; NULL of others. */
const struct observe_finding *report_observed_finding(const struct report *report,
						      const struct finding *finding);

/* The command that shows a finding again, to be freed; NULL: there is none. */
char *report_replay(const struct report *report, const struct report_item *item);

/* ---- text --------------------------------------------------------------------------------- */

void report_print_findings(const struct report *report, struct report_numbers *numbers, FILE *out);

/* The last line: how many of what, what was left out and why, how long it took. */
void report_print_summary(const struct report *reports, size_t count, FILE *out);

/* What came of each property: violated, not violated, not judged and why. */
void report_print_properties(const struct report *reports, size_t count, FILE *out);

/*
 * Properties that were not judged and must not pass for well, in words. The rule: one of which the
 * program has all that it needs, but some of that could not be recorded; and a file of which no
 * property was judged. One that speaks of what this program does not have, in a file of which others
 * were judged, is only told: a file may serve several programs.
 */
struct report_sentences {
	VEC(char *) list;
};
void report_unjudged(const struct report *reports, size_t count, struct report_sentences *out);
void report_sentences_free(struct report_sentences *sentences);

/* ---- JSON --------------------------------------------------------------------------------- */

/* A string; null for NULL. */
json_t *report_json_text(const char *text);

/* A list, an object for each property. */
json_t *report_json_properties(const struct report *reports, size_t count);

/* All processes together; `problems` are what kept parts from being read. */
json_t *report_json(const struct report *reports, size_t count, char *const *problems,
		    size_t problem_count);

#endif
