/*
 * A window with weaker constraints, for leads. In its schedules, reads may see other values, or
 * code that is not recorded neither waits nor orders anything. So only a run of the program can
 * show whether such a schedule is possible. Everything but the model and its clock belongs to the
 * original window, which must outlive this one.
 */
#ifndef PREDICT_PATTERN_RELAXED_WINDOW_H
#define PREDICT_PATTERN_RELAXED_WINDOW_H

#include "order/model/clock.h"
#include "order/window/window.h"

/*
 * A program that reads other values may behave differently, and the fewer values differ, the less
 * likely that is. So the first level only allows other writes between a write and the read that saw
 * it. The second level drops all constraints of reads.
 */
enum relaxation {
	RELAXED_OPAQUE, /* only the order that code without a recording may impose is dropped */
	RELAXED_VALUES, /* the write that a read saw comes before it; others may come in between */
	RELAXED_READS,	/* reads do not matter */
};

struct relaxed_window {
	struct window window;
	struct order_clock clock;
};

void relaxed_window_make(struct relaxed_window *relaxed, const struct window *window,
			 enum relaxation level);
void relaxed_window_free(struct relaxed_window *relaxed);

#endif
