/* What a search found, told as the other commands tell their findings. */
#ifndef CLI_EXPLORED_H
#define CLI_EXPLORED_H

#include "cli/judging.h"
#include "cli/properties.h"
#include "explore/explore.h"
#include "property/property.h"
#include "report/report.h"

/* A failure, and the run that repeated it with kernel threads and was recorded. */
struct explored_source {
	const struct failure *failure;
	const struct outcome *outcome; /* of the run that repeated it */
	const char *trace;	       /* its recording */
	int usual;		       /* status of a run that is well, as of waitpid */
	const char *schedule;	       /* the file that it was saved to; NULL: it was not */
	char **program;
	const struct properties *properties; /* what it violates is one of these; may be NULL */
	const char *why;		     /* not NULL: it was not repeated, for that reason */
};

struct explored {
	char *trace; /* the recording; NULL: there is none */
	struct report report;
	struct judging_look *look; /* of the report, if it violates a property; NULL: it does not */
	char **replays;		   /* of the report: a command for each finding, or NULL */
	bool confirmed;
};

/* False: the recording cannot be read. */
bool explored_open(struct explored *explored, const struct explored_source *source,
		   struct err *err);
void explored_close(struct explored *explored);

/* "sooth replay -p x.prop x.schedule -- ./x 3"; to be freed. */
char *explored_replay(const char *schedule, const struct properties *properties, char **program);

/* The word for a failure: "assertion", "lost-signal" … */
const char *explored_kind(const struct outcome *outcome);

#endif
