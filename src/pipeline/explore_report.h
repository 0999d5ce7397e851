/* What a search found, told as the other commands tell their findings. */
#ifndef PIPELINE_EXPLORE_REPORT_H
#define PIPELINE_EXPLORE_REPORT_H

#include "pipeline/property_judge.h"
#include "pipeline/property_files.h"
#include "explore/search/explore.h"
#include "property/property.h"
#include "report/report.h"

/* A failure, and the run that repeated it with kernel threads and was recorded. */
struct explore_report_source {
	const struct failure *failure;
	const struct outcome *outcome; /* of the run that repeated it */
	const char *trace;	       /* its recording */
	int usual;		       /* status of a run that is well, as of waitpid */
	const char *schedule;	       /* the file that it was saved to; NULL: it was not */
	char **program;
	const struct property_files *properties; /* what it violates is one of these; may be NULL */
	const char *why; /* not NULL: it was not repeated, for that reason */
};

struct explore_report {
	char *trace; /* the recording; NULL: there is none */
	struct report report;
	struct property_judge_look
		*look;	/* of the report, if it violates a property; NULL: it does not */
	char **replays; /* of the report: a command for each finding, or NULL */
	bool confirmed;
};

/* False: the recording cannot be read. */
bool explore_report_open(struct explore_report *explored,
			 const struct explore_report_source *source, struct err *err);
void explore_report_close(struct explore_report *explored);

/* "sooth replay -p x.prop x.schedule -- ./x 3"; to be freed. */
char *explore_report_replay(const char *schedule, const struct property_files *properties,
			    char **program);

/* The word for a failure: "assertion", "lost-signal" … */
const char *explore_report_kind(const struct outcome *outcome);

#endif
