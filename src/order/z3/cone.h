/*
 * The cone of a query: the nodes that are inside in every schedule that answers it, and the nodes
 * that are *within reach*. All other nodes can be outside without losing an answer.
 *
 * For each thread, these nodes are its first ones. `inside` and `outside` follow from the query's
 * unit clauses and must-happen-before. `reach` is the cone of influence: the nodes that the query
 * names and, transitively, all nodes that one of them could depend on (the writes that a read could
 * read from, the releases that an acquire could wait for, signals, posts …).
 *
 * Searching only schedules within reach is exact. A feasible schedule stays feasible if the nodes
 * that are inside but out of reach are moved after the cut, in the same order: no node within reach
 * depends on them, and removing a write, a section or a down never makes another node infeasible.
 * GPredict (§III.C) prunes by must-happen-before alone.
 */
#ifndef ORDER_Z3_CONE_H
#define ORDER_Z3_CONE_H

#include "order/model/clock.h"
#include "order/model/query.h"

struct order_cone {
	const struct order_model *model;
	const struct order_clock *clock;
	/* for each thread: */
	uint32_t *inside;  /* number of its nodes that are inside in each answer */
	uint32_t *outside; /* position from which on its nodes are outside in each answer */
	uint32_t *reach;   /* number of its nodes that can be inside; at most `outside` */
};

/* Returns false if the unit clauses contradict each other. The caller always frees the cone. */
bool order_cone_make(struct order_cone *cone, const struct order_model *model,
		     const struct order_clock *clock, const struct order_query *query);
void order_cone_free(struct order_cone *cone);

/*
 * Lists the nodes that a read within reach could read its value from (ORDER_NONE: the initial
 * value), and returns their number. Leaves out writes that must be overwritten before the read.
 * `writers` has room for all writes of the cell and one more.
 */
uint32_t order_cone_writers(const struct order_cone *cone, const struct order_cell *cell,
			    const struct order_read *read, uint32_t *writers);

/* Can the node be inside? */
static inline bool order_cone_reaches(const struct order_cone *cone, uint32_t node)
{
	return cone->model->position.items[node] < cone->reach[cone->model->thread.items[node]];
}

static inline bool order_cone_inside(const struct order_cone *cone, uint32_t node)
{
	return cone->model->position.items[node] < cone->inside[cone->model->thread.items[node]];
}

static inline bool order_cone_outside(const struct order_cone *cone, uint32_t node)
{
	return cone->model->position.items[node] >= cone->outside[cone->model->thread.items[node]];
}

#endif
