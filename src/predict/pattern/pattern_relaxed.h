/*
 * A window with less said about its reads: for leads, orders that a run of the program has to try
 * because reads see something else in them. Everything but the model and its clock is the window's
 * own, which must outlive this.
 */
#ifndef PREDICT_PATTERN_PATTERN_RELAXED_H
#define PREDICT_PATTERN_PATTERN_RELAXED_H

#include "order/model/clock.h"
#include "order/window/window.h"

/*
 * A program that finds other values may go other ways, and the fewer are other the less it does.
 * So first only what comes between a read and its writer is free, then all that reads say.
 */
enum relaxed {
	RELAXED_VALUES, /* the write that a read saw comes before it; others may come between */
	RELAXED_READS,	/* reads do not matter */
};

struct relaxed_window {
	struct window window;
	struct order_clock clock;
};

void relaxed_window_make(struct relaxed_window *relaxed, const struct window *window,
			 enum relaxed level);
void relaxed_window_free(struct relaxed_window *relaxed);

#endif
