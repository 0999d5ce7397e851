/*
 * A question to the solver: clauses over order atoms and booleans that a feasible schedule must
 * satisfy in addition to the model. A literal is +n or -n, where n is the number of an atom, from
 * 1. The negation of "a before b" is "b before a".
 */
#ifndef ORDER_MODEL_QUERY_H
#define ORDER_MODEL_QUERY_H

#include "order/model/model.h"

struct order_atom {
	uint32_t before, after; /* nodes or ORDER_CUT; in a plain boolean, both are ORDER_NONE */
};

/* If `literal` holds, the semaphore's value at the cut is 0. */
struct order_empty {
	int32_t literal;
	uint32_t semaphore;
};

/*
 * If `literal` holds, a wait is never woken: the wait, one of ORDER_WAKE_SIGNAL, has begun inside,
 * its woken node is not inside, and no signal or broadcast has woken it. That means:
 *
 * Each broadcast comes before the wait or is outside. Each signal inside wakes one waiting wait
 * other than this one, if there is any such wait. A wait is waiting at a signal if it is one of
 * ORDER_WAKE_SIGNAL, has begun before the signal, has not returned before it, and was not woken
 * before it by a broadcast or by another signal. Signals before this wait count, too: a wait that
 * such a signal wakes cannot use a later one. A wait of ORDER_WAKE_FREE uses no signal. The signals
 * that waits use here and those that woken nodes use (model.h) form one assignment for the whole
 * query.
 */
struct order_unwoken {
	int32_t literal;
	uint32_t wait; /* in the model's waits */
};

struct order_query {
	VEC(struct order_atom) atoms;
	VEC(int32_t) clauses; /* each ends with 0 */
	VEC(struct order_empty) empty;
	VEC(struct order_unwoken) unwoken;
};

void order_query_clear(struct order_query *query);
void order_query_free(struct order_query *query);

int32_t order_query_before(struct order_query *query, uint32_t a, uint32_t b);
int32_t order_query_boolean(struct order_query *query);
void order_query_clause(struct order_query *query, const int32_t *literals, uint32_t count);

/* Requires that the node is next: the nodes before it in its thread are inside, it is not. */
void order_query_next(struct order_query *query, const struct order_model *model, uint32_t node);
/* Requires that all nodes of the thread are inside. */
void order_query_whole(struct order_query *query, const struct order_model *model, uint32_t thread);

/*
 * Iterates over the unit clauses: sets *atom to the next one, turned around if it is negated, and
 * returns false after the last. *at is the iterator, 0 at the start.
 */
bool order_query_next_unit(const struct order_query *query, size_t *at, struct order_atom *atom);

#endif
