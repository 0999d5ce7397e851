/*
 * Must-happen-before of a model: program order and edges, closed. Vector clocks, one entry a
 * thread: node_count * thread_count * 4 bytes.
 */
#ifndef ORDER_MODEL_CLOCK_H
#define ORDER_MODEL_CLOCK_H

#include "order/model/model.h"

struct order_clock {
	uint32_t threads;
	uint32_t *count; /* [node * threads + t]: how many of t's nodes come before it or are it */
};

void order_clock_make(struct order_clock *clock, const struct order_model *model);
void order_clock_free(struct order_clock *clock);

/* Must a come before b? False for a == b. */
static inline bool order_clock_before(const struct order_clock *clock,
				      const struct order_model *model, uint32_t a, uint32_t b)
{
	return a != b && clock->count[(size_t)b * clock->threads + model->thread.items[a]] >
				 model->position.items[a];
}

#endif
