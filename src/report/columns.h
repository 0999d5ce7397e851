/* A witness as a table: a column for each thread, a row for each step that matters. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/describe.h"

void columns_print(struct describe *describe, const struct finding *finding, FILE *out);

/*
 * The last signal or broadcast on a condition that the witness has before the wait that ends at
 * `woken`; NULL: none.
 */
const struct described *columns_find_signal(struct describe *describe,
					    const struct finding *finding, uint64_t condition,
					    struct event_id woken);

#endif
