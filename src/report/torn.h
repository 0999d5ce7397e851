/* What is said of a region that another thread tears apart: findings of kind atomicity. */
#ifndef REPORT_TORN_H
#define REPORT_TORN_H

#include "report/describe.h"

#include <stdio.h>

/* "region transfer in T1 is torn by T2's write of balance" */
void torn_print_message(struct describe *describe, const struct finding *finding, FILE *out);

/* What a run would show in which the region is left alone, and what to do. */
void torn_print_why(struct describe *describe, const struct finding *finding, FILE *out);

/* Which of the finding's events this one is; -1: none. */
int torn_find(const struct finding *finding, const struct trace_event *event);

#endif
