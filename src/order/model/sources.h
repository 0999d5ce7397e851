/* For each node of a model, the sources of the edges into it. */
#ifndef ORDER_MODEL_SOURCES_H
#define ORDER_MODEL_SOURCES_H

#include "order/model/model.h"

/* The edges into node n are items start[n] to start[n + 1] - 1 of `from` and `edge`. */
struct order_sources {
	uint32_t *start;
	uint32_t *from; /* nodes */
	uint32_t *edge; /* indices in the model's edges */
};

void order_sources_make(struct order_sources *sources, const struct order_model *model);
void order_sources_free(struct order_sources *sources);

#endif
