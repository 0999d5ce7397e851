/* For each node of a model where the edges into it come from. */
#ifndef ORDER_MODEL_SOURCES_H
#define ORDER_MODEL_SOURCES_H

#include "order/model/model.h"

/* Those of node n are the positions start[n] … start[n + 1] - 1 of the other two. */
struct order_sources {
	uint32_t *start;
	uint32_t *from; /* nodes */
	uint32_t *edge; /* which edge of the model that is */
};

void order_sources_make(struct order_sources *sources, const struct order_model *model);
void order_sources_free(struct order_sources *sources);

#endif
