/* Uses of what is over (finding_is_of_life) in words. */
#ifndef REPORT_LIFETIME_H
#define REPORT_LIFETIME_H

#include "report/describe.h"

#include <stdio.h>

/* What an end of a life is about where that has no name: "block of 40 bytes"; NULL: it is none. */
const char *lifetime_subject(struct describe *describe, const struct finding_event *event);

/* "T2 can write p->x after T1 has freed it" */
void lifetime_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 frees 40 bytes", without an end of line; and why, with what helps. */
void lifetime_event(struct describe *describe, const struct finding *finding, size_t event,
		    FILE *out);
void lifetime_why(const struct finding *finding, FILE *out);

/* "free p", "write p->x": for a column. */
void lifetime_step(struct describe *describe, const struct finding *finding, size_t event,
		   FILE *out);

#endif
