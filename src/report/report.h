/*
 * The report of `sooth predict`, `check`, `observe` and `explore`: as text for people and as JSON
 * for programs.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "explore/confirm/confirm.h"
#include "monitor/observe/observe.h"
#include "report/describe.h"

#include <jansson.h>
#include <stdio.h>

/*
 * A site in the code to which no event belongs: of an assertion, or of an access that did not
 * happen.
 */
struct report_site {
	uint32_t thread;
	const char *operation; /* such as "assertion"; NULL: there is no site */
	char *file, *function; /* NULL: not known */
	unsigned line;
};

/* A failure of a run: a crash, a failed assertion, or threads that hung. */
struct report_observed {
	const char *kind; /* such as "crash", "assertion", "deadlock" */
	char *message;
	enum finding_status status; /* CONFIRMED: found and repeated by `sooth explore` */
	struct report_site site;
	VEC(struct event_id) events;
	bool ends;    /* the event frees memory, and `site` uses that memory */
	char *replay; /* command that replays the failure, or NULL */
};

/* The results for one recorded process. */
struct report {
	const char *trace;   /* name that the user gave to the trace */
	const char *process; /* command, if the program started this process; otherwise NULL */
	struct describe *describe;
	const struct predict_result *result;
	VEC(struct report_observed) observed;
	/* The result of replaying each finding; NULL: nothing was replayed. */
	const struct confirmation *confirmations;
	/*
	 * Command that replays a finding when the finding's id is appended: "sooth replay x.sooth";
	 * or NULL.
	 */
	const char *replay;
	/*
	 * For each finding the complete command, or NULL. If `replays` is NULL, `replay` is used.
	 */
	char *const *replays;
	/* The properties that were checked, and their files; NULL: none. */
	const struct property_set *properties;
	struct spec_file *const *files;
	size_t file_count;
	const struct observe_result *observation; /* of formulas on all schedules; or NULL */
	bool observed_only;			  /* nothing was predicted */
	bool warnings;				  /* suspicions are shown, not only counted */
	bool not_instrumented; /* none of the program's code was recorded: nothing was analysed */
	size_t leads_left;     /* leads that were not replayed, because no time was left */
};

/*
 * Findings of each kind are numbered through all processes of a report, in the order in which they
 * were found, so that `sooth replay` gives them the same numbers. The report lists them in another
 * order: first the observed, then the confirmed, then the predicted findings.
 */
#define REPORT_KINDS 16
struct report_numbers {
	const char *kinds[REPORT_KINDS];
	unsigned counts[REPORT_KINDS];
};

/* A finding or an observed failure; report_list() puts them into the order of the report. */
#define REPORT_ID 40
struct report_item {
	char id[REPORT_ID];	       /* such as "race-1" */
	const struct finding *finding; /* NULL: this is an observed failure */
	const struct report_observed *observed;
	const struct confirmation *confirmation; /* may be NULL */
};
typedef VEC(struct report_item) report_items;
/*
 * Is it a prediction that became a suspicion because its replay was held up, and suspicions are
 * only counted? It keeps its number, because `sooth replay` knows it by that.
 */
bool report_hides(const struct report *report, const struct finding *finding);
void report_list(const struct report *report, struct report_numbers *numbers, report_items *items);

/* Returns the observation's data for a finding of a formula; NULL: the finding has none. */
const struct observe_finding *report_observed_finding(const struct report *report,
						      const struct finding *finding);

/* Does the report have findings other than warnings? Observed failures are not counted. */
bool report_has_findings(const struct report *report);

void report_observed_free(struct report_observed *observed);

/* Returns the command that replays a finding, which the caller frees; NULL: there is none. */
char *report_replay(const struct report *report, const struct report_item *item);

/* ---- text ------------------------------------------------------------------------------------ */

void report_print_findings(const struct report *report, struct report_numbers *numbers, FILE *out);

/* Prints the last lines: the number of findings, what was left out and why, and the time. */
void report_print_summary(const struct report *reports, size_t count, FILE *out);

/* Prints the verdict on each property: violated, not violated, or not judged and why. */
void report_print_properties(const struct report *reports, size_t count, FILE *out);

/* A list of sentences. */
struct report_sentences {
	VEC(char *) list;
};

/*
 * Adds a sentence for each property that should have been judged but was not: the program has all
 * that it needs, but not all of that could be recorded, or a grammar was given up.
 */
void report_unjudged(const struct report *reports, size_t count, struct report_sentences *out);

/*
 * Adds a sentence for each file that does not fit the program: none of its properties was judged. A
 * property that needs something that this program lacks is not mentioned if other properties of its
 * file were judged, because a file may serve several programs.
 */
void report_unfit(const struct report *reports, size_t count, struct report_sentences *out);
void report_sentences_free(struct report_sentences *sentences);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a JSON string; null for NULL. */
json_t *report_json_text(const char *text);

/* Returns a list with an object for each property. */
json_t *report_json_properties(const struct report *reports, size_t count);

/* Returns the report on all processes. `problems`: sentences about input that could not be read. */
json_t *report_json(const struct report *reports, size_t count, char *const *problems,
		    size_t problem_count);

#endif
