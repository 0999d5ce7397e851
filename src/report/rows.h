/* Chooses which steps of a witness get a row in its table (columns.h). */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/describe.h"

#define ROWS_MOST 40 /* only the last ones are shown; longer tables hide more */

/* An event, or a number of consecutive events of one thread that do not matter. */
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

/* Fills `threads` and `items`; the caller has set the others. */
void rows_make(struct rows *rows);
void rows_free(struct rows *rows);

/* The column of a thread; it gets a new one if it has none. */
uint32_t rows_column(struct rows *rows, uint32_t stream);

/* The position of the event among the finding's events; -1: it is not one of them. */
int rows_find_event(const struct finding *finding, const struct trace_event *event);

#endif
