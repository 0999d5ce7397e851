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
	const struct order_clock *clock = c->index->clock;

	for (uint32_t t = 0; t < clock->threads; t++) {
		uint32_t count = clock->count[(size_t)node * clock->threads + t];

		if (count > c->inside[t])
			c->inside[t] = count;
		c->contradiction |= c->inside[t] > c->outside[t];
	}
}

/* The position of the thread's first node that comes after `node` or is it. */
static uint32_t first_after(const struct closure *c, uint32_t node, uint32_t thread)
{
	const struct order_model *m = c->index->model;
	const uint32_t *nodes = m->thread_nodes.items + m->thread_start.items[thread];
	uint32_t low = 0;
	uint32_t high = m->thread_start.items[thread + 1] - m->thread_start.items[thread];

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (nodes[middle] != node &&
		    !order_clock_before(c->index->clock, m, node, nodes[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void closure_require_outside(struct closure *c, uint32_t node)
{
	for (uint32_t t = 0; t < c->index->model->thread_count; t++) {
		uint32_t first = first_after(c, node, t);

		if (first < c->outside[t])
			c->outside[t] = first;
		c->contradiction |= c->inside[t] > c->outside[t];
	}
}
