/* Uses of what is over (finding_is_of_life) in words. */
#ifndef REPORT_LIVES_H
#define REPORT_LIVES_H

#include "report/describe.h"

#include <stdio.h>

/* What an end of a life is about where that has no name: "block of 40 bytes"; NULL: it is none. */
const char *lives_subject(struct describe *describe, const struct finding_event *event);

/* "T2 can write p->x after T1 has freed it" */
void lives_message(struct describe *describe, const struct finding *finding, FILE *out);

/* "T1 frees 40 bytes", without an end of line; and why, with what helps. */
void lives_event(struct describe *describe, const struct finding *finding, size_t event, FILE *out);
void lives_why(const struct finding *finding, FILE *out);

/* "free p", "write p->x": for a column. */
void lives_step(struct describe *describe, const struct finding *finding, size_t event, FILE *out);

#endif
