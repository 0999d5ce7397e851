/*
 * Which nodes must come before a node in every feasible prefix that contains it.
 *
 * These are more nodes than must happen before it (order/model/clock.h: that order also holds
 * outside the prefix), and fewer than what the solver concludes for a query. The rules:
 * - A read whose value only one write can have given requires that write. If several writes can, it
 *   requires what all of them require.
 * - A section requires the end of an earlier section of its lock if it requires any node inside
 *   that section.
 *
 * One pass along the recorded order applies all rules, because they only look at nodes that were
 * recorded earlier. These are the rules of saturation (Pavlogiannis, "Fast, sound, and effectively
 * complete dynamic race prediction", POPL 2020; for locks Mathur et al., "Optimal prediction of
 * synchronization-preserving races", POPL 2021), but applied to every node instead of one pair. The
 * solver need not be asked about pairs that they rule out.
 *
 * Costs node_count * thread_count * 4 bytes and about as many steps.
 */
#ifndef PREDICT_DRIVER_MUST_PRECEDE_H
#define PREDICT_DRIVER_MUST_PRECEDE_H

#include "order/model/clock.h"
#include "order/window/window.h"

struct must_precede {
	const struct order_model *model;
	/* [node * threads + t]: number of t's nodes that come before the node or are it */
	uint32_t *count;
};

void must_precede_make(struct must_precede *required, const struct window *window,
		       const struct order_clock *clock);
void must_precede_free(struct must_precede *required);

/* Must `a` be inside whenever `b` is? True for a == b. */
static inline bool must_precede_inside(const struct must_precede *required, uint32_t a, uint32_t b)
{
	const struct order_model *model = required->model;

	return required->count[(size_t)b * model->thread_count + model->thread.items[a]] >
	       model->position.items[a];
}

/* Must `a` be inside when `b` is next and the sources of all edges into `b` are inside? */
static inline bool must_precede_before(const struct must_precede *required,
				       const struct order_clock *clock, uint32_t a, uint32_t b)
{
	uint32_t previous = order_model_previous(required->model, b);

	return (previous != ORDER_NONE && must_precede_inside(required, a, previous)) ||
	       order_clock_before(clock, required->model, a, b);
}

#endif
