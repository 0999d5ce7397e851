/*
 * A window with weaker constraints. For leads: orders in which reads see other values, or in which
 * code that is not recorded neither waits nor orders anything, so that only a run of the program
 * can show whether they are possible. Everything but the model and its clock belongs to the
 * original window, which must outlive this one.
 */
#ifndef PREDICT_PATTERN_RELAXED_WINDOW_H
#define PREDICT_PATTERN_RELAXED_WINDOW_H

#include "order/model/clock.h"
#include "order/window/window.h"

/*
 * A program that reads other values may behave differently; the fewer values differ, the less. So
 * first only the writes between a read and its writer are free, then all constraints of reads are
 * dropped.
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
