/*
 * A question to the solver: clauses over order atoms and booleans that a feasible schedule must
 * satisfy besides the model. A literal is +n or -n, n the number of an atom from 1; the negation
 * of "a before b" is "b before a".
 */
#ifndef ORDER_MODEL_QUERY_H
#define ORDER_MODEL_QUERY_H

#include "order/model/model.h"

struct order_atom {
	uint32_t before, after; /* nodes or ORDER_CUT; both ORDER_NONE: a boolean */
};

/* When `literal` holds, the semaphore has nothing left at the cut. */
struct order_empty {
	int32_t literal;
	uint32_t semaphore;
};

/*
 * When `literal` holds, the wait, one of ORDER_WAKE_SIGNAL, has begun inside, its woken node is not
 * inside, and nothing has woken it. Each broadcast comes before it or outside. Each signal inside
 * wakes one that waits, if any does, and never this one: a wait of ORDER_WAKE_SIGNAL that had begun
 * before the signal, has not returned before it, and was not woken before it by a broadcast or by
 * another signal. So a signal before this wait counts, too: whom it wakes cannot take a later one.
 * A wait of ORDER_WAKE_FREE takes none. What signals take here and what woken nodes use (model.h)
 * is one assignment for all of a query.
 */
struct order_deaf {
	int32_t literal;
	uint32_t wait; /* in the model's waits */
};

struct order_query {
	VEC(struct order_atom) atoms;
	VEC(int32_t) clauses; /* each ends with 0 */
	VEC(struct order_empty) empty;
	VEC(struct order_deaf) deaf;
};

void order_query_clear(struct order_query *query);
void order_query_free(struct order_query *query);

int32_t order_query_before(struct order_query *query, uint32_t a, uint32_t b);
int32_t order_query_boolean(struct order_query *query);
void order_query_clause(struct order_query *query, const int32_t *literals, uint32_t count);

/* The node is next: all of its thread before it is inside, it is not. */
void order_query_next(struct order_query *query, const struct order_model *model, uint32_t node);
/* All of the thread's nodes are inside. */
void order_query_whole(struct order_query *query, const struct order_model *model, uint32_t thread);

#endif
