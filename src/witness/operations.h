/*
 * What each node of a solution does to which object, in the solution's order: the dependence
 * relation that a reordering has to keep.
 *
 * Objects are cells, locks, conditions, semaphores and edges. Two operations on one object are
 * independent only when both are reads of a cell, both failed tries, or both of the read side of
 * a lock; so the operations on an object fall into groups, one behind the other, of operations
 * that may change places. An operation can happen once `before` operations on its object have:
 * no member of a later group can be among them, as it would itself have had to wait for more.
 */
#ifndef WITNESS_OPERATIONS_H
#define WITNESS_OPERATIONS_H

#include "order/model/model.h"
#include "order/solver/solve.h"

enum operation_sort {
	OPERATION_ALONE, /* is independent of nothing */
	OPERATION_READ,	 /* of a cell */
	OPERATION_TRY,	 /* a failed one */
	OPERATION_SHARE, /* takes or leaves a lock for reading */
};

struct operation {
	uint32_t object;
	uint32_t before;
	uint8_t sort; /* enum operation_sort */
};

struct operations {
	uint32_t count;	  /* nodes inside */
	uint32_t objects; /* how many */
	uint32_t *rank;	  /* of each node of the model in the solution; ORDER_NONE outside */
	uint32_t *start;  /* count + 1 offsets into `items`, by rank */
	struct operation *items;
};

/* `fixed`: nodes whose order is to be kept, whatever they do; as operations on one more object. */
void operations_make(struct operations *ops, const struct order_model *model,
		     const struct order_solution *solution, const uint32_t *fixed,
		     uint32_t fixed_count);
/* Fills in `before`, as if only nodes with a position below need[thread] were there. */
void operations_arrange(struct operations *ops, const struct order_model *model,
			const struct order_solution *solution, const uint32_t *need);
void operations_free(struct operations *ops);

#endif
