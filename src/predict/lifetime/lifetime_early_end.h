/*
 * Windows in which a lifetime ends early: before uses that the recorded run has before its end.
 * They are for queries in which such an end is inside.
 *
 * In the model, each use of a lifetime has an edge into its end. A query with an early end must
 * leave out these edges for that end. But a model for each end would cost a clock and a solver
 * each. So the query is first asked in a window without any lifetime edges, which serves all ends.
 * What is impossible there is impossible, and this settles nearly everything that is well
 * synchronised. What is possible there may break another lifetime; only then is a model made for
 * that end alone.
 */
#ifndef PREDICT_LIFETIME_LIFETIME_EARLY_END_H
#define PREDICT_LIFETIME_LIFETIME_EARLY_END_H

#include "order/model/clock.h"
#include "order/model/sources.h"
#include "order/window/window.h"

/*
 * A place (byte range or object) where a lifetime ends, and the end's position among its touches.
 */
struct lifetime_end {
	uint32_t place, at;
};

/* A window with different edges and clock. Everything else belongs to the original window. */
struct lifetime_window {
	struct window window;
	struct order_clock clock;
};

struct lifetime_early_end {
	const struct window *window;
	struct lifetime_window loose; /* without the edges of lifetimes */
	/* By node: the lifetimes that it ends are ends[start[n]] … ends[start[n + 1] - 1]. */
	uint32_t *start;
	struct lifetime_end *ends;
	struct order_sources sources; /* of the loose window's edges */
	bool *has_outgoing; /* by node: it has an edge to another node in the loose window */
};

void lifetime_early_end_make(struct lifetime_early_end *early, const struct window *window);
void lifetime_early_end_free(struct lifetime_early_end *early);

/*
 * Makes the window in which lifetimes do not constrain this end, except that the lifetime must have
 * begun.
 */
void lifetime_window_make(struct lifetime_window *out, const struct lifetime_early_end *early,
			  uint32_t end);
void lifetime_window_free(struct lifetime_window *window);

/* Does an order of nodes that the loose window allows also satisfy this window's edges? */
bool lifetime_window_accepts(const struct lifetime_window *window, const uint32_t *inside,
			     uint32_t count);

/*
 * Returns the touches of a place. The functions below return positions in them: of the last begin
 * before `at`, and of the next begin after `at` (`count` if there is none).
 */
const struct window_touch *lifetime_touches(const struct lifetime_early_end *early, uint32_t place,
					    uint32_t *count);
uint32_t lifetime_begin_before(const struct window_touch *touches, uint32_t at); /* or ORDER_NONE */
uint32_t lifetime_begin_after(const struct window_touch *touches, uint32_t count, uint32_t at);

#endif
