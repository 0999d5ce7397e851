/*
 * Windows in which a lifetime ends too early, for queries in which its end is inside.
 *
 * In the model, a lifetime is edges from all uses into the end. Such a query omits these edges, for
 * that one end. A model for each end would cost a clock and a solver each. So the window is asked
 * first without the edges of any lifetime: one model for all ends. What is impossible there is
 * impossible, and nearly everything that is well synchronised is. What is possible there may break
 * another lifetime; only then the end gets a model of its own.
 */
#ifndef PREDICT_LIFETIME_LIFETIME_EARLY_END_H
#define PREDICT_LIFETIME_LIFETIME_EARLY_END_H

#include "order/model/clock.h"
#include "order/model/sources.h"
#include "order/window/window.h"

/* A byte range or object where a lifetime ends, and the position of that end among its touches. */
struct lifetime_end {
	uint32_t place, at;
};

/* A window whose model has other edges. Everything else belongs to the original window. */
struct lifetime_window {
	struct window window;
	struct order_clock clock;
};

struct lifetime_early_end {
	const struct window *window;
	struct lifetime_window loose; /* without the edges of lifetimes */
	/* For each node: where it ends something, in ends[start[n]] … ends[start[n + 1] - 1]. */
	uint32_t *start;
	struct lifetime_end *ends;
	struct order_sources sources; /* of the loose window's edges */
	bool *has_outgoing;	      /* by node: it has an outgoing edge in the loose window */
};

void lifetime_early_end_make(struct lifetime_early_end *early, const struct window *window);
void lifetime_early_end_free(struct lifetime_early_end *early);

/* The window in which lifetimes do not bind that end, except that what it ends must have begun. */
void lifetime_window_make(struct lifetime_window *out, const struct lifetime_early_end *early,
			  uint32_t end);
void lifetime_window_free(struct lifetime_window *window);

/* Does an order of nodes that the loose window allows also satisfy this window's edges? */
bool lifetime_window_accepts(const struct lifetime_window *window, const uint32_t *inside,
			     uint32_t count);

/* The touches of a place; the last begin before one of them, and the next begin after it. */
const struct window_touch *lifetime_touches(const struct lifetime_early_end *early, uint32_t place,
					    uint32_t *count);
uint32_t lifetime_begin_before(const struct window_touch *touches, uint32_t at); /* or ORDER_NONE */
uint32_t lifetime_begin_after(const struct window_touch *touches, uint32_t count, uint32_t at);

#endif
