/*
 * Finds out whether a thread learns, in a schedule, of an event of another thread. If so, the first
 * thread may have waited for that event, for example by polling a flag, and what it does afterwards
 * is intended (doc/prediction.md, Atomicity, "learning").
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_DEPENDENCE_H
#define PREDICT_ATOMICITY_ATOMICITY_DEPENDENCE_H

#include "order/model/sources.h"
#include "order/window/window.h"

/*
 * Returns the first node of `thread` in the schedule `inside` that depends on `source`, or
 * ORDER_NONE. Dependence follows program order, the model's edges, reads of what another thread
 * wrote last, and operations that may wake other threads (signals, posts). It does not follow
 * locks. `sources` are those of the window's model.
 */
uint32_t first_dependent_node(const struct window *window, const struct order_sources *sources,
			      const uint32_t *inside, size_t count, uint32_t source,
			      uint32_t thread);

#endif
