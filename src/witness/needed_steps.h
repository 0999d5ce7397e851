/* Finds the needed nodes of a solution: the required nodes and all nodes they depend on. */
#ifndef WITNESS_NEEDED_STEPS_H
#define WITNESS_NEEDED_STEPS_H

#include "witness/operations.h"

/*
 * need[t] is the number of thread t's nodes that stay. Raises these numbers until the nodes that
 * stay, in the solution's order, are a feasible schedule without the others.
 */
void needed_steps_close(const struct order_model *model, const struct order_solution *solution,
			const struct operations *ops, uint32_t *need);

#endif
