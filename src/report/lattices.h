/* Statistics of the lattices on which formulas were checked. */
#ifndef REPORT_LATTICES_H
#define REPORT_LATTICES_H

#include "report/report.h"

/*
 * Adds "cuts", "levels", "runs", "violating_runs" and the list "lattices", if there are lattices.
 */
void lattices_json(json_t *stats, const struct report *reports, size_t count);

/*
 * Prints a line for each lattice from which cuts were left out (with `all`: for each lattice), and
 * the notes.
 */
void lattices_print(const struct report *reports, size_t count, bool all, FILE *out);

#endif
