/*
 * The orders of nodes that are certain in one query: they hold in every schedule that answers it.
 *
 * The closure starts with the model's clocks, and with the nodes that must be inside and outside.
 * closure_saturate() (saturate.c) then computes clocks for this query, with the cut as an
 * additional thread. Private to the solver.
 */
#ifndef ORDER_SOLVER_CLOSURE_H
#define ORDER_SOLVER_CLOSURE_H

#include "order/model/index.h"

struct closure_edge {
	uint32_t from, to;
	uint32_t next; /* the next edge out of the same node */
};

struct closure {
	const struct order_index *index;
	uint32_t cut;	   /* the cut as a node: node_count */
	uint32_t *inside;  /* for each thread: at least this number of its nodes is inside */
	uint32_t *outside; /* for each thread: its nodes from this position on are outside */
	bool contradiction;
	bool saturated;	 /* `count` is valid */
	uint32_t *count; /* clocks: [node * (threads + 1) + t]; the cut is the last thread */
	VEC(struct closure_edge) edges; /* edges found by saturation */
	struct saturation *work;	/* private to saturate.c */
};

void closure_make(struct closure *closure, const struct order_index *index);
void closure_free(struct closure *closure);

void closure_reset(struct closure *closure);
void closure_require_inside(struct closure *closure, uint32_t node);
void closure_require_outside(struct closure *closure, uint32_t node);

/*
 * Draws conclusions from the `known` edges between nodes or the cut. Ends when there are no further
 * conclusions, at a contradiction, or after about `limit` steps. Returns the number of steps.
 */
uint64_t closure_saturate(struct closure *closure, const struct order_edge *known, size_t count,
			  uint64_t limit);
void closure_free_work(struct closure *closure);

static inline bool closure_is_inside(const struct closure *c, uint32_t node)
{
	const struct order_model *m = c->index->model;

	return m->position.items[node] < c->inside[m->thread.items[node]];
}

static inline bool closure_is_outside(const struct closure *c, uint32_t node)
{
	const struct order_model *m = c->index->model;

	return m->position.items[node] >= c->outside[m->thread.items[node]];
}

/* Must a come before b? Both are nodes or the cut. */
static inline bool closure_before(const struct closure *c, uint32_t a, uint32_t b)
{
	if (a == b)
		return false;
	if (a == c->cut)
		return closure_is_outside(c, b);
	if (b == c->cut)
		return closure_is_inside(c, a);
	if (c->saturated) {
		const struct order_model *m = c->index->model;

		return c->count[(size_t)b * (m->thread_count + 1) + m->thread.items[a]] >
		       m->position.items[a];
	}
	return order_clock_before(c->index->clock, c->index->model, a, b) ||
	       (closure_is_inside(c, a) && closure_is_outside(c, b));
}

#endif
