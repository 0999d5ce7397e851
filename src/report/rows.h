/* Chooses which steps of a witness get a row in its table (columns.h). */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/describe.h"

#define ROWS_MOST 40 /* longer tables are shortened; then only the last 40 rows are shown */

/* An event, or a number of consecutive events of one thread that have no row of their own. */
struct row {
	uint32_t column;
	const struct described *event; /* NULL: the row stands for `hidden` events */
	uint64_t hidden;
};

struct rows {
	struct describe *describe;
	const struct finding *finding;
	VEC(uint32_t) threads; /* the thread of each column */
	VEC(struct row) items;
};

/* Fills `threads` and `items`. The caller must set the other fields before. */
void rows_make(struct rows *rows);
void rows_free(struct rows *rows);

/* Returns the column of a thread. A thread without a column gets a new one. */
uint32_t rows_column(struct rows *rows, uint32_t stream);

/* Returns the index of an event in finding->events; -1: it is not one of them. */
int rows_find_event(const struct finding *finding, const struct trace_event *event);

#endif
