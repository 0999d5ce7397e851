/* Texts about uses after free, destroy or close (finding_is_use_after_end). */
#ifndef REPORT_LIFETIME_H
#define REPORT_LIFETIME_H

#include "report/describe.h"

/* What a free or unmap ends, for want of a name: "block of 40 bytes". NULL: another event. */
const char *lifetime_subject(struct describe *describe, const struct finding_event *event);

/* "use after free: T2 can write p->x after T1 has freed its block" */
void lifetime_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 frees 40 bytes", without a line feed. */
void lifetime_event(struct describe *describe, const struct finding *finding, size_t event,
		    FILE *out);
/* Why it can happen, and what to do. */
void lifetime_why(const struct finding *finding, FILE *out);

/* "free p", "write p->x": for a column. */
void lifetime_step(struct describe *describe, const struct finding *finding, size_t event,
		   FILE *out);

#endif
