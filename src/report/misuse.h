/* Misuse in words: all but uses of what is over (lifetime.h). */
#ifndef REPORT_MISUSE_H
#define REPORT_MISUSE_H

#include "report/describe.h"

#include <stdio.h>

/* Is it told here? */
bool misuse_is(const struct finding *finding);

/* "T1 can destroy m while T2 holds it" */
void misuse_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 destroys m", without an end of line; and why that is wrong, with what helps. */
void misuse_event(struct describe *describe, const struct finding *finding, size_t event,
		  FILE *out);
void misuse_why(const struct finding *finding, FILE *out);

/* Of JSON: "destroy-in-use" */
const char *misuse_name(enum event_misuse misuse);

#endif
