/*
 * Texts about misuse of locks, threads and descriptors, except uses after destroy or close, which
 * lifetime.h has.
 */
#ifndef REPORT_MISUSE_H
#define REPORT_MISUSE_H

#include "report/describe.h"

/* Does the finding belong here? */
bool misuse_is(const struct finding *finding);

/* "T1 can destroy m while T2 holds it" */
void misuse_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 destroys m", without a line feed. */
void misuse_event(struct describe *describe, const struct finding *finding, size_t event,
		  FILE *out);
/* Why it is wrong, and what to do. */
void misuse_why(const struct finding *finding, FILE *out);

/* The JSON's name: "destroy-in-use" */
const char *misuse_name(enum event_misuse misuse);

#endif
