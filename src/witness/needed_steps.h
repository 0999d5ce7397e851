/* Finds the needed nodes of a solution: those that must stay, and all that they depend on. */
#ifndef WITNESS_NEEDED_STEPS_H
#define WITNESS_NEEDED_STEPS_H

#include "witness/operations.h"

/*
 * Raises need[t], the number of thread t's nodes that stay, until the nodes that stay are feasible
 * by themselves in the solution's order.
 */
void needed_steps_close(const struct order_model *model, const struct order_solution *solution,
			const struct operations *ops, uint32_t *need);

#endif
