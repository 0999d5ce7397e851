/*
 * A query about nodes of a window, together with the nodes that its witness must contain. All
 * analyses that ask the solver use it.
 */
#ifndef PREDICT_DRIVER_NODE_QUERY_H
#define PREDICT_DRIVER_NODE_QUERY_H

#include "order/model/query.h"
#include "order/model/sources.h"

struct node_query {
	const struct order_model *model;
	struct order_query query;
	uint32_t *required; /* by thread: how many of its nodes the witness contains at least */
};

void node_query_open(struct node_query *q, const struct order_model *model);
void node_query_close(struct node_query *q);
void node_query_clear(struct node_query *q);

/* Demands that `a` comes before `b`; either may be ORDER_CUT. */
void node_query_before(struct node_query *q, uint32_t a, uint32_t b);

/* Demands that the node comes before `limit`, or is outside. */
void node_query_before_or_outside(struct node_query *q, uint32_t node, uint32_t limit);

/* Demands that the node is inside; the witness contains it. */
void node_query_inside(struct node_query *q, uint32_t node);

/*
 * Demands that the node is next: all earlier nodes of its thread are inside, the node is not, and
 * the sources of edges into the node (its thread's creation, the allocation of what it accesses, an
 * order that must be kept) are inside. If `sources` is NULL, edges are ignored.
 */
void node_query_next(struct node_query *q, const struct order_sources *sources, uint32_t node);

/* Keeps the node in the witness if it is inside, but does not demand that it is. */
void node_query_require(struct node_query *q, uint32_t node);

#endif
