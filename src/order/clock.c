#include "order/clock.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* Raises `to` to the maximum of both, entry by entry. */
static void join(uint32_t *to, const uint32_t *from, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		if (to[t] < from[t])
			to[t] = from[t];
}

/* For each node where its incoming edges start in `sources`. */
static uint32_t *group_edges(const struct order_model *model, uint32_t *sources)
{
	uint32_t *start = mem_zalloc((size_t)model->node_count + 2, sizeof *start);

	for (size_t i = 0; i < model->edges.count; i++)
		start[model->edges.items[i].to + 2]++;
	for (size_t n = 2; n < (size_t)model->node_count + 2; n++)
		start[n] += start[n - 1];
	for (size_t i = 0; i < model->edges.count; i++)
		sources[start[model->edges.items[i].to + 1]++] = model->edges.items[i].from;
	return start;
}

void order_clock_make(struct order_clock *clock, const struct order_model *model)
{
	uint32_t threads = model->thread_count;
	uint32_t *sources = mem_zalloc(model->edges.count + 1, sizeof *sources);
	uint32_t *start = group_edges(model, sources);

	clock->threads = threads;
	clock->count = mem_zalloc((size_t)model->node_count * threads + 1, sizeof *clock->count);
	/* Edges never point back in the recorded order, so one pass in that order closes. */
	for (uint32_t n = 0; n < model->node_count; n++) {
		uint32_t *own = &clock->count[(size_t)n * threads];
		uint32_t previous = order_model_previous(model, n);

		if (previous != ORDER_NONE)
			memcpy(own, &clock->count[(size_t)previous * threads],
			       threads * sizeof *own);
		for (uint32_t i = start[n]; i < start[n + 1]; i++) {
			assert(sources[i] < n);
			join(own, &clock->count[(size_t)sources[i] * threads], threads);
		}
		own[model->thread.items[n]] = model->position.items[n] + 1;
	}
	free(start);
	free(sources);
}

void order_clock_free(struct order_clock *clock)
{
	free(clock->count);
	clock->count = NULL;
}
