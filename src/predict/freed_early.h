/*
 * Windows in which a life ends too early: what the solver is asked about when the end is inside.
 *
 * The model has lives as edges into the end, from all uses. They are what such a question leaves
 * out, for that one end. A model for each end would cost a clock and a solver each; so first the
 * window is asked without any edge of a life, one model for all ends. What is impossible there is
 * impossible, and nearly everything that is well synchronised is. What is possible may break
 * another life; only then the end gets a model of its own.
 */
#ifndef PREDICT_FREED_EARLY_H
#define PREDICT_FREED_EARLY_H

#include "order/clock.h"
#include "order/sources.h"
#include "order/window.h"

/* A place where something ends, and which of its touches that is. */
struct freed_place {
	uint32_t place, at;
};

/* A window whose model has other edges. All else is the window's own. */
struct freed_window {
	struct window window;
	struct order_clock clock;
};

struct freed_early {
	const struct window *window;
	struct freed_window loose; /* without lives */
	/* For each node: the places where it ends something, in places[start[n]] … start[n + 1] */
	uint32_t *start;
	struct freed_place *places;
	struct order_sources sources; /* of the loose window's edges: no lives */
	bool *leads;		      /* by node: an edge out of it that is not of a life */
};

void freed_early_make(struct freed_early *early, const struct window *window);
void freed_early_free(struct freed_early *early);

/* The window in which lives do not bind that end, but that what it ends has begun. */
void freed_window_make(struct freed_window *out, const struct freed_early *early, uint32_t end);
void freed_window_free(struct freed_window *window);

/* Is an order of nodes, of the loose window, one of this one, too? */
bool freed_window_accepts(const struct freed_window *window, const uint32_t *inside,
			  uint32_t count);

/* The touches of a place, and around one of them: the last begin before it and the next behind. */
const struct window_touch *freed_touches(const struct freed_early *early, uint32_t place,
					 uint32_t *count);
uint32_t freed_begin_before(const struct window_touch *touches, uint32_t at); /* or ORDER_NONE */
uint32_t freed_begin_behind(const struct window_touch *touches, uint32_t count, uint32_t at);

#endif
