/*
 * Does a thread learn, in a schedule, that another has done something? Then what it does behind that
 * is no accident: it waited, by a flag perhaps (doc/prediction.md, Atomicity, "learning").
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_LEARNED_H
#define PREDICT_ATOMICITY_ATOMICITY_LEARNED_H

#include "order/model/sources.h"
#include "order/window/window.h"

/*
 * Follows the nodes inside, in order, from `source` on: the order in threads, edges of the model, what
 * signals and posts may wake, and reads that find what another thread wrote last. Locks are no
 * links. The first node of the thread that knows of `source`, or ORDER_NONE. `sources` are those of
 * the window's model.
 */
uint32_t learned_from(const struct window *window, const struct order_sources *sources,
		      const uint32_t *inside, size_t count, uint32_t source, uint32_t thread);

#endif
