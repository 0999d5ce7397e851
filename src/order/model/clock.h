/*
 * Must-happen-before in a model: the transitive closure of program order and edges, as vector
 * clocks with one entry for each thread. The clocks take node_count * thread_count * 4 bytes.
 */
#ifndef ORDER_MODEL_CLOCK_H
#define ORDER_MODEL_CLOCK_H

#include "order/model/model.h"

struct order_clock {
	uint32_t threads;
	/*
	 * [node * threads + t]: the number of thread t's nodes that must come before the node,
	 * including the node itself
	 */
	uint32_t *count;
};

void order_clock_make(struct order_clock *clock, const struct order_model *model);
void order_clock_free(struct order_clock *clock);

/*
 * Returns the position of the thread's first node that is `node` or must come after it, or `limit`
 * if that node is at `limit` or later.
 */
uint32_t order_clock_first_after(const struct order_clock *clock, const struct order_model *model,
				 uint32_t node, uint32_t thread, uint32_t limit);

/* Raises each counts[t] so that the first counts[t] nodes of t include all that must precede it. */
static inline void order_clock_raise(const struct order_clock *clock, uint32_t node,
				     uint32_t *counts)
{
	const uint32_t *own = &clock->count[(size_t)node * clock->threads];

	for (uint32_t t = 0; t < clock->threads; t++)
		if (counts[t] < own[t])
			counts[t] = own[t];
}

/* Must a come before b? Returns false if they are the same node. */
static inline bool order_clock_before(const struct order_clock *clock,
				      const struct order_model *model, uint32_t a, uint32_t b)
{
	return a != b && clock->count[(size_t)b * clock->threads + model->thread.items[a]] >
				 model->position.items[a];
}

#endif
