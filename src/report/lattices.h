/* What the walk through the lattices of properties came to. */
#ifndef REPORT_LATTICES_H
#define REPORT_LATTICES_H

#include "report/report.h"

/* "cuts", "levels", "runs", "violating_runs" and a list "lattices" into `stats`; nothing without any. */
void lattices_json(json_t *stats, const struct report *reports, size_t count);

/* With `all` a line for each property; what was cut off, always. */
void lattices_print(const struct report *reports, size_t count, bool all, FILE *out);

#endif
