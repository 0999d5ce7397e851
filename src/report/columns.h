/*
 * Prints a witness as a table, with a column for each thread and a row for each step that matters.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/describe.h"

void columns_print(struct describe *describe, const struct finding *finding, FILE *out);

/*
 * Returns the last signal or broadcast on a condition that comes in the witness before the wait
 * that ends at `woken`; NULL: there is none.
 */
const struct described *columns_find_signal(struct describe *describe,
					    const struct finding *finding, uint64_t condition,
					    struct event_id woken);

#endif
