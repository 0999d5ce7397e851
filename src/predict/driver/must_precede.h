/*
 * What a node leans on in every schedule: if it is inside, so are those, and before it.
 *
 * More than must-happen-before (order/model/clock.h), which holds outside as well, and less than what
 * the solver concludes for a query. A read whose value one write alone could have given leans on
 * that write; with several, on what all of them lean on. A section leans on the end of an earlier
 * one of its lock if it leans on anything inside of that. All is found in one walk along the
 * recorded order, because nodes only lean on what was recorded before them. These are the rules
 * of saturation (Pavlogiannis, "Fast, sound, and effectively complete dynamic race prediction",
 * POPL 2020; Mathur et al., "Optimal prediction of synchronization-preserving races", POPL 2021,
 * for locks) without looking at a pair: what they rule out need not be asked about.
 *
 * Costs node_count * thread_count * 4 bytes and about as many steps.
 */
#ifndef PREDICT_DRIVER_MUST_PRECEDE_H
#define PREDICT_DRIVER_MUST_PRECEDE_H

#include "order/model/clock.h"
#include "order/window/window.h"

struct must_precede {
	const struct order_model *model;
	uint32_t *count; /* [node * threads + t]: so many of t's nodes; with itself */
};

void must_precede_make(struct must_precede *needs, const struct window *window,
		       const struct order_clock *clock);
void must_precede_free(struct must_precede *needs);

/* Must a be inside when b is next, and where edges into b come from is inside as well? */
static inline bool must_precede_before(const struct must_precede *needs,
				       const struct order_clock *clock, uint32_t a, uint32_t b)
{
	const struct order_model *model = needs->model;
	uint32_t previous = order_model_previous(model, b);

	if (previous != ORDER_NONE &&
	    needs->count[(size_t)previous * model->thread_count + model->thread.items[a]] >
		    model->position.items[a])
		return true;
	return order_clock_before(clock, model, a, b);
}

#endif
