/*
 * What a query can be about: which nodes are inside whatever the schedule, which can be left
 * outside without losing an answer.
 *
 * Both are prefixes of each thread. `inside` and `outside` follow from the query's unit clauses
 * and must-happen-before. `reach` is the cone of influence: the nodes that the query names and,
 * transitively, all that one of them could lean on (the writes a read could take from, the
 * releases an acquire could wait for, signals, posts …). A feasible schedule stays feasible when
 * what is inside but out of reach is moved behind the cut, in the same order: nothing within
 * reach leant on it, and to take a write, a section or a down away disturbs nobody. So to look
 * for schedules within reach alone is exact. GPredict (§III.C) prunes by must-happen-before; this
 * is that and one step more.
 */
#ifndef ORDER_SOLVER_CONE_H
#define ORDER_SOLVER_CONE_H

#include "order/model/clock.h"
#include "order/model/query.h"

struct order_cone {
	const struct order_model *model;
	const struct order_clock *clock;
	/* By thread, how many of its nodes: */
	uint32_t *inside;  /* are inside in each schedule that satisfies the query */
	uint32_t *outside; /* are before the first that is outside in each of them */
	uint32_t *reach;   /* may be inside: at most `outside` */
};

/* False when the unit clauses contradict each other; then, too, it is to be freed. */
bool order_cone_make(struct order_cone *cone, const struct order_model *model,
		     const struct order_clock *clock, const struct order_query *query);
void order_cone_free(struct order_cone *cone);

/*
 * The nodes that a read within reach could take its value from, ORDER_NONE for the initial value.
 * `writers` has room for the cell's writes and one more. A write that is hidden by another one in
 * between, by must-happen-before, is not among them.
 */
uint32_t order_cone_writers(const struct order_cone *cone, const struct order_cell *cell,
			    const struct order_read *read, uint32_t *writers);

/* May the node be inside? */
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
