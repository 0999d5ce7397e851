/* Makes reports from the failures that `sooth explore` finds, like those of the other commands. */
#ifndef PIPELINE_EXPLORE_REPORT_H
#define PIPELINE_EXPLORE_REPORT_H

#include "explore/search/explore.h"
#include "pipeline/property_files.h"
#include "pipeline/property_judge.h"
#include "property/property.h"
#include "report/report.h"

/* What a report is made from: a recorded run with kernel threads that repeated a failure. */
struct explore_report_source {
	const struct outcome *outcome; /* outcome of the repeated run */
	const char *trace;	       /* recording of the repeated run */
	int usual;		       /* wait status of a run that does not fail */
	const char *schedule;	       /* name of the saved schedule file; NULL: not saved */
	char **program;
	const struct property_files *properties; /* -p, if a property is violated; may be NULL */
	const char *why; /* why no recorded run repeated the failure; NULL: one did */
};

struct explore_report {
	char *trace; /* name of the recording; NULL: there is none */
	struct report report;
	struct property_judge_look *look; /* used by `report` if a property is violated */
	char **replays;			  /* used by `report`: a command for each finding */
};

/* Returns false, with the reason in `err`, if the recording cannot be read. */
bool explore_report_open(struct explore_report *explored,
			 const struct explore_report_source *source, struct err *err);
void explore_report_close(struct explore_report *explored);

/* Returns a command such as "sooth replay -p x.prop x.schedule -- ./x 3"; the caller frees it. */
char *explore_report_replay(const char *schedule, const struct property_files *properties,
			    char **program);

/* Returns the kind of the failure, as in findings: "assertion", "lost-signal" and so on. */
const char *explore_report_kind(const struct outcome *outcome);

#endif
