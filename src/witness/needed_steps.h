/*
 * What of a solution is needed: from the nodes that must stay, back over everything they lean on.
 */
#ifndef WITNESS_NEEDED_STEPS_H
#define WITNESS_NEEDED_STEPS_H

#include "witness/operations.h"

/*
 * Raises need[t], how many nodes of thread t stay, until what stays is feasible by itself in the
 * solution's order.
 */
void needed_steps_close(const struct order_model *model, const struct order_solution *solution,
			const struct operations *ops, uint32_t *need);

#endif
