/* Texts about uses after free, destroy or close (finding_is_use_after_end). */
#ifndef REPORT_LIFETIME_H
#define REPORT_LIFETIME_H

#include "report/describe.h"

/*
 * Returns a text such as "block of 40 bytes" for a free or unmap, because what it ends has no name.
 * NULL: the event is neither of these.
 */
const char *lifetime_subject(struct describe *describe, const struct finding_event *event);

/* Prints "use after free: T2 can write p->x after T1 has freed its block". */
void lifetime_message(struct describe *describe, const struct finding *finding, FILE *out);

/* Prints the line about an event, without line feed: "T1 frees 40 bytes". */
void lifetime_event(struct describe *describe, const struct finding *finding, size_t event,
		    FILE *out);
/* Prints why the finding can happen, and what to do. */
void lifetime_why(const struct finding *finding, FILE *out);

/* Prints an event for a column: "free p", "write p->x". */
void lifetime_step(struct describe *describe, const struct finding *finding, size_t event,
		   FILE *out);

#endif
