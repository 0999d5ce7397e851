/*
 * Texts about misuse of locks, threads and descriptors. Uses after destroy or close are in
 * lifetime.h.
 */
#ifndef REPORT_MISUSE_H
#define REPORT_MISUSE_H

#include "report/describe.h"

/* Is the finding a misuse other than a use after destroy or close? */
bool misuse_is(const struct finding *finding);

/* Prints "T1 can destroy m while T2 holds it". */
void misuse_message(struct describe *describe, const struct finding *finding, FILE *out);

/* Prints the line about an event, without line feed: "T1 destroys m". */
void misuse_event(struct describe *describe, const struct finding *finding, size_t event,
		  FILE *out);
/* Prints why the finding is an error, and what to do. */
void misuse_why(const struct finding *finding, FILE *out);

/* Returns the name in the JSON: "destroy-in-use". */
const char *misuse_name(enum event_misuse misuse);

#endif
