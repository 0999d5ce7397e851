/*
 * Lists the operations of each node of a solution, and on which objects they act. A reordering of
 * the solution must keep the order of dependent operations.
 *
 * An object is here a cell, a lock, a condition, a semaphore or an edge. Two operations on one
 * object are independent only if both read a cell, both are failed tries, or both acquire or
 * release a lock for reading. So the operations on an object form consecutive groups, and the
 * members of a group may change places. An operation can happen once `before` operations on its
 * object have happened; `before` is the size of all earlier groups together. The first `before`
 * operations to happen are all from earlier groups, because the operations of all other groups wait
 * for at least as many.
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
	uint32_t count;	  /* number of nodes in the solution */
	uint32_t objects; /* number of objects */
	uint32_t *rank;	  /* by node of the model: its rank in the solution, or ORDER_NONE */
	uint32_t *start;  /* count + 1 offsets into `items`, by rank */
	struct operation *items;
};

/* The nodes in `fixed` keep their order: each becomes an operation on one additional object. */
void operations_make(struct operations *ops, const struct order_model *model,
		     const struct order_solution *solution, const uint32_t *fixed,
		     uint32_t fixed_count);
/* Fills in `before`. Ignores nodes whose position in their thread is not below need[thread]. */
void operations_arrange(struct operations *ops, const struct order_model *model,
			const struct order_solution *solution, const uint32_t *need);
void operations_free(struct operations *ops);

#endif
