/*
 * Prints the run that violates a formula next to the recorded run, with the values of subformulas.
 */
#ifndef REPORT_FORMULA_TABLE_H
#define REPORT_FORMULA_TABLE_H

#include "report/report.h"

/* Prints nothing if the finding is not about a formula or the runs are too long. */
void formula_table_print(const struct report *report, const struct finding *finding, FILE *out);

#endif
