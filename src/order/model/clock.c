/* Vector clocks of a model (clock.h), computed in one pass over the recorded order. */
#include "order/model/clock.h"
#include "base/mem.h"
#include "base/sort.h"
#include "order/model/sources.h"

#include <assert.h>
#include <string.h>

void order_clock_make(struct order_clock *clock, const struct order_model *model)
{
	uint32_t threads = model->thread_count;
	struct order_sources sources;

	order_sources_make(&sources, model);
	clock->threads = threads;
	clock->count = mem_zalloc((size_t)model->node_count * threads + 1, sizeof *clock->count);
	/*
	 * Edges never point backwards in the recorded order, so one pass in that order computes the
	 * transitive closure.
	 */
	for (uint32_t n = 0; n < model->node_count; n++) {
		uint32_t *own = &clock->count[(size_t)n * threads];
		uint32_t previous = order_model_previous(model, n);

		if (previous != ORDER_NONE)
			memcpy(own, &clock->count[(size_t)previous * threads],
			       threads * sizeof *own);
		for (uint32_t i = sources.start[n]; i < sources.start[n + 1]; i++) {
			assert(sources.from[i] < n);
			order_clock_raise(clock, sources.from[i], own);
		}
		own[model->thread.items[n]] = model->position.items[n] + 1;
	}
	order_sources_free(&sources);
}

void order_clock_free(struct order_clock *clock)
{
	free(clock->count);
	clock->count = NULL;
}

uint32_t order_clock_first_after(const struct order_clock *clock, const struct order_model *model,
				 uint32_t node, uint32_t thread, uint32_t limit)
{
	const uint32_t *nodes = model->thread_nodes.items + model->thread_start.items[thread];
	uint32_t at;

	SEARCH_FIRST(at, limit,
		     nodes[at] == node || order_clock_before(clock, model, node, nodes[at]));
	return at;
}
