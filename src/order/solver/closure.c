/* The facts that are certain without saturation: requirements, spread along must-happen-before. */
#include "order/solver/closure.h"
#include "base/mem.h"

#include <string.h>

void closure_make(struct closure *c, const struct order_index *index)
{
	uint32_t threads = index->model->thread_count;

	*c = (struct closure){ .index = index, .cut = index->model->node_count };
	c->inside = mem_zalloc((size_t)threads + 1, sizeof *c->inside);
	c->outside = mem_zalloc((size_t)threads + 1, sizeof *c->outside);
}

void closure_free(struct closure *c)
{
	free(c->inside);
	free(c->outside);
	closure_free_work(c);
	free(c->count);
	vec_free(&c->edges);
}

void closure_reset(struct closure *c)
{
	for (uint32_t t = 0; t < c->index->model->thread_count; t++) {
		c->inside[t] = 0;
		c->outside[t] = ORDER_NONE;
	}
	c->contradiction = c->saturated = false;
	c->edges.count = 0;
}

void closure_require_inside(struct closure *c, uint32_t node)
{
	order_clock_raise(c->index->clock, node, c->inside);
	for (uint32_t t = 0; t < c->index->model->thread_count; t++)
		c->contradiction |= c->inside[t] > c->outside[t];
}

void closure_require_outside(struct closure *c, uint32_t node)
{
	const struct order_model *m = c->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++) {
		uint32_t count = m->thread_start.items[t + 1] - m->thread_start.items[t];
		uint32_t first = order_clock_first_after(c->index->clock, m, node, t, count);

		if (first < c->outside[t])
			c->outside[t] = first;
		c->contradiction |= c->inside[t] > c->outside[t];
	}
}
