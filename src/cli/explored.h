/* What a search found, told as the other commands tell their findings. */
#ifndef CLI_EXPLORED_H
#define CLI_EXPLORED_H

#include "explore/explore.h"
#include "report/report.h"

/* A failure, and the run that repeated it with kernel threads and was recorded. */
struct explored {
	char *trace; /* the recording; NULL: there is none */
	struct report report;
	bool confirmed;
};

/*
 * Makes a report of a failure from the recording of the run that repeated it, whose outcome is given.
 * `why` not NULL: it did not repeat it, for that reason. False: the recording cannot be read.
 */
bool explored_open(struct explored *explored, const struct failure *failure,
		   const struct outcome *outcome, const char *trace, const char *replay,
		   const char *why, struct err *err);
void explored_close(struct explored *explored);

/* The word for a failure: "assertion", "lost-signal" … */
const char *explored_kind(const struct outcome *outcome);

#endif
