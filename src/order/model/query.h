/*
 * A question to the solver: clauses that a feasible schedule must satisfy in addition to the model.
 * An atom is "a before b" or a plain boolean. A literal is +n or -n, where n is the number of an
 * atom, from 1. The negation of "a before b" is "b before a".
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
 * If `literal` holds, a wait is never woken: the wait (of kind ORDER_WAKE_SIGNAL) has begun inside,
 * its woken node is outside, and no signal or broadcast has woken it. This means:
 *
 * Each broadcast comes before the wait or is outside. Each signal inside wakes one wait that is
 * waiting at it, but never this wait, if there is any other. A wait is waiting at a signal if it is
 * of kind ORDER_WAKE_SIGNAL, has begun before the signal, has not returned before it, and was not
 * woken before it by a broadcast or by another signal. Signals before this wait matter, too: a wait
 * that such a signal wakes cannot use a later one. A wait of kind ORDER_WAKE_FREE uses no signal.
 * The signals that waits use here and those that woken nodes use (model.h) form one assignment for
 * the whole query.
 */
struct order_unwoken {
	int32_t literal;
	uint32_t wait; /* index in the model's `waits` */
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

/* Requires that the node is next: it is outside, its thread's nodes before it are inside. */
void order_query_next(struct order_query *query, const struct order_model *model, uint32_t node);

/*
 * Iterates over the clauses with one literal. Sets *atom to the atom of the next one (a negated
 * "a before b" as "b before a") and returns false after the last. *at is the iterator, at first 0.
 */
bool order_query_next_unit(const struct order_query *query, size_t *at, struct order_atom *atom);

#endif
