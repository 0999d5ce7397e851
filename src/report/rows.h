/* Which steps of a witness are worth a row of its table (columns.h). */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/describe.h"

#define ROWS_MOST 40 /* are shown, the last ones; where there are more, less matters */

/* A row: an event, or a number of events of one thread that do not matter. */
struct row {
	uint32_t column;
	const struct described *event; /* NULL: `hidden` events */
	uint64_t hidden;
};

struct rows {
	struct describe *describe;
	const struct finding *finding;
	VEC(uint32_t) threads; /* the columns */
	VEC(struct row) items;
};

/* Fills `threads` and `items`, for the other two. */
void rows_make(struct rows *rows);
void rows_free(struct rows *rows);

/* The column of a thread; a new one, if it has none. */
uint32_t rows_column(struct rows *rows, uint32_t stream);

/* The event of a property's finding that this one is; -1: none. */
int rows_pattern_event(const struct finding *finding, const struct trace_event *event);

#endif
