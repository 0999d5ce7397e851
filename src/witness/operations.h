/*
 * Which operations each node of a solution does on which object, in the solution's order: the
 * dependence relation that a reordering has to keep.
 *
 * Objects are cells, locks, conditions, semaphores and edges. Two operations on one object are
 * independent only if both are reads of a cell, both failed tries, or both take or leave the lock
 * for reading. So the operations on an object form consecutive groups whose members may change
 * places. An operation can happen once `before` operations on its object have happened: no member
 * of a later group can be among these, because it would itself have to wait for more.
 */
#ifndef WITNESS_OPERATIONS_H
#define WITNESS_OPERATIONS_H

#include "order/model/model.h"
#include "order/solver/solve.h"

enum operation_sort {
	OPERATION_EXCLUSIVE, /* depends on every other operation */
	OPERATION_READ,	     /* of a cell */
	OPERATION_TRY,	     /* a failed try */
	OPERATION_SHARE,     /* takes or leaves a lock for reading */
};

struct operation {
	uint32_t object;
	uint32_t before;
	uint8_t sort; /* enum operation_sort */
};

struct operations {
	uint32_t count;	  /* number of nodes inside */
	uint32_t objects; /* number of objects */
	uint32_t *rank;	  /* of each node of the model in the solution; ORDER_NONE: outside */
	uint32_t *start;  /* count + 1 offsets into `items`, by rank */
	struct operation *items;
};

/* `fixed` are nodes that keep their order, whatever they do: as operations on one more object. */
void operations_make(struct operations *ops, const struct order_model *model,
		     const struct order_solution *solution, const uint32_t *fixed,
		     uint32_t fixed_count);
/* Fills in `before`, as if there were only nodes with a position below need[thread]. */
void operations_arrange(struct operations *ops, const struct order_model *model,
			const struct order_solution *solution, const uint32_t *need);
void operations_free(struct operations *ops);

#endif
