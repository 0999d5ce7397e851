/* Misuse in words: all but uses of what is over (lives.h). */
#ifndef REPORT_MISUSED_H
#define REPORT_MISUSED_H

#include "report/describe.h"

#include <stdio.h>

/* Is it told here? */
bool misused_is(const struct finding *finding);

/* "T1 can destroy m while T2 holds it" */
void misused_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 destroys m", without an end of line; and why that is wrong, with what helps. */
void misused_event(struct describe *describe, const struct finding *finding, size_t event,
		   FILE *out);
void misused_why(const struct finding *finding, FILE *out);

/* Of JSON: "destroy-in-use" */
const char *misused_name(enum event_misuse misuse);

#endif
