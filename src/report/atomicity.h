/* What is said of a region that another thread tears apart: findings of kind atomicity. */
#ifndef REPORT_ATOMICITY_H
#define REPORT_ATOMICITY_H

#include "report/describe.h"

#include <stdio.h>

/* "region transfer in T1 is torn by T2's write of balance" */
void atomicity_print_message(struct describe *describe, const struct finding *finding, FILE *out);

/* What a run would show in which the region is left alone, and what to do. */
void atomicity_print_why(struct describe *describe, const struct finding *finding, FILE *out);

/* Which of the finding's events this one is; -1: none. */
int atomicity_find(const struct finding *finding, const struct trace_event *event);

#endif
