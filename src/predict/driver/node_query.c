/* Clauses about nodes, and the bookkeeping of what the witness needs. */
#include "predict/driver/node_query.h"

#include "base/mem.h"

#include <string.h>

void node_query_open(struct node_query *q, const struct order_model *model)
{
	*q = (struct node_query){ .model = model };
	q->required = mem_zalloc((size_t)model->thread_count + 1, sizeof *q->required);
}

void node_query_close(struct node_query *q)
{
	order_query_free(&q->query);
	free(q->required);
}

void node_query_clear(struct node_query *q)
{
	order_query_clear(&q->query);
	memset(q->required, 0, q->model->thread_count * sizeof *q->required);
}

void node_query_before(struct node_query *q, uint32_t a, uint32_t b)
{
	int32_t literal = order_query_before(&q->query, a, b);

	order_query_clause(&q->query, &literal, 1);
}

void node_query_before_or_outside(struct node_query *q, uint32_t node, uint32_t limit)
{
	int32_t literals[] = { order_query_before(&q->query, node, limit),
			       order_query_before(&q->query, ORDER_CUT, node) };

	order_query_clause(&q->query, literals, 2);
}

void node_query_require(struct node_query *q, uint32_t node)
{
	uint32_t *required = &q->required[q->model->thread.items[node]];

	if (*required <= q->model->position.items[node])
		*required = q->model->position.items[node] + 1;
}

void node_query_inside(struct node_query *q, uint32_t node)
{
	node_query_before(q, node, ORDER_CUT);
	node_query_require(q, node);
}

void node_query_next(struct node_query *q, const struct order_sources *sources, uint32_t node)
{
	uint32_t previous = order_model_previous(q->model, node);

	order_query_next(&q->query, q->model, node);
	if (previous != ORDER_NONE)
		node_query_require(q, previous);
	for (uint32_t i = sources ? sources->start[node] : 0;
	     sources && i < sources->start[node + 1]; i++)
		node_query_inside(q, sources->from[i]);
}
