/* A formula's violating run beside the recorded one, with what is true in each state. */
#ifndef REPORT_STORIES_H
#define REPORT_STORIES_H

#include "report/report.h"

/* Nothing for other findings, and for runs that are too long to be shown. */
void stories_print(const struct report *report, const struct finding *finding, FILE *out);

#endif
