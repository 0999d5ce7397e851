/* A formula's violating run beside the recorded one, with what is true in each state. */
#ifndef REPORT_FORMULA_TABLE_H
#define REPORT_FORMULA_TABLE_H

#include "report/report.h"

/* Nothing for other findings, and for runs that are too long to be shown. */
void formula_table_print(const struct report *report, const struct finding *finding, FILE *out);

#endif
