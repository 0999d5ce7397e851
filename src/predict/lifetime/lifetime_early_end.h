/*
 * Windows in which a life ends too early: what the solver is asked about when the end is inside.
 *
 * The model has lives as edges into the end, from all uses. They are what such a question leaves
 * out, for that one end. A model for each end would cost a clock and a solver each; so first the
 * window is asked without any edge of a life, one model for all ends. What is impossible there is
 * impossible, and nearly everything that is well synchronised is. What is possible may break
 * another life; only then the end gets a model of its own.
 */
#ifndef PREDICT_LIFETIME_LIFETIME_EARLY_END_H
#define PREDICT_LIFETIME_LIFETIME_EARLY_END_H

#include "order/model/clock.h"
#include "order/model/sources.h"
#include "order/window/window.h"

/* A place where something ends, and which of its touches that is. */
struct lifetime_place {
	uint32_t place, at;
};

/* A window whose model has other edges. All else is the window's own. */
struct lifetime_window {
	struct window window;
	struct order_clock clock;
};

struct lifetime_early_end {
	const struct window *window;
	struct lifetime_window loose; /* without lives */
	/* For each node: the places where it ends something, in places[start[n]] … start[n + 1] */
	uint32_t *start;
	struct lifetime_place *places;
	struct order_sources sources; /* of the loose window's edges: no lives */
	bool *leads;		      /* by node: an edge out of it that is not of a life */
};

void lifetime_early_end_make(struct lifetime_early_end *early, const struct window *window);
void lifetime_early_end_free(struct lifetime_early_end *early);

/* The window in which lives do not bind that end, but that what it ends has begun. */
void lifetime_window_make(struct lifetime_window *out, const struct lifetime_early_end *early,
			  uint32_t end);
void lifetime_window_free(struct lifetime_window *window);

/* Is an order of nodes, of the loose window, one of this one, too? */
bool lifetime_window_accepts(const struct lifetime_window *window, const uint32_t *inside,
			     uint32_t count);

/* The touches of a place, and around one of them: the last begin before it and the next behind. */
const struct window_touch *lifetime_touches(const struct lifetime_early_end *early, uint32_t place,
					    uint32_t *count);
uint32_t lifetime_begin_before(const struct window_touch *touches, uint32_t at); /* or ORDER_NONE */
uint32_t lifetime_begin_behind(const struct window_touch *touches, uint32_t count, uint32_t at);

#endif
