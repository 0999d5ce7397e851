/* Failures that `sooth explore` found, as reports like those of the other commands. */
#ifndef PIPELINE_EXPLORE_REPORT_H
#define PIPELINE_EXPLORE_REPORT_H

#include "explore/search/explore.h"
#include "pipeline/property_files.h"
#include "pipeline/property_judge.h"
#include "property/property.h"
#include "report/report.h"

/* The recorded run with kernel threads that repeated a failure. */
struct explore_report_source {
	const struct outcome *outcome; /* of that run */
	const char *trace;	       /* the recording of that run */
	int usual;		       /* wait status of a run that does not fail */
	const char *schedule;	       /* the file with the saved schedule; NULL: not saved */
	char **program;
	const struct property_files *properties; /* a violated property is one of these; or NULL */
	const char *why; /* not NULL: the reason why no recorded run repeated it */
};

struct explore_report {
	char *trace; /* the recording; NULL: there is none */
	struct report report;
	struct property_judge_look *look; /* what the report uses if a property is violated */
	char **replays;			  /* what the report uses: a command for each finding */
};

/* Returns false, with the reason in `err`, if the recording cannot be read. */
bool explore_report_open(struct explore_report *explored,
			 const struct explore_report_source *source, struct err *err);
void explore_report_close(struct explore_report *explored);

/* "sooth replay -p x.prop x.schedule -- ./x 3"; to be freed. */
char *explore_report_replay(const char *schedule, const struct property_files *properties,
			    char **program);

/* The kind of finding that a failure is: "assertion", "lost-signal" and so on. */
const char *explore_report_kind(const struct outcome *outcome);

#endif
