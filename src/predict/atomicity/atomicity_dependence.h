/*
 * Does a thread learn, in a schedule, that another thread has done something? Then what it does
 * afterwards is no accident: it waited for it, perhaps by polling a flag (doc/prediction.md,
 * Atomicity, "learning").
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_DEPENDENCE_H
#define PREDICT_ATOMICITY_ATOMICITY_DEPENDENCE_H

#include "order/model/sources.h"
#include "order/window/window.h"

/*
 * Follows the nodes inside, in order, from `source` on: program order, edges of the model, what
 * signals and posts may wake, and reads that see what another thread wrote last. Locks do not count
 * as links. Returns the first node of the thread that depends on `source`, or ORDER_NONE. `sources`
 * are those of the window's model.
 */
uint32_t first_dependent_node(const struct window *window, const struct order_sources *sources,
			      const uint32_t *inside, size_t count, uint32_t source,
			      uint32_t thread);

#endif
