/* What the entries of a pool mean to the properties of a computation. */
#ifndef MONITOR_COMPUTATION_RELEVANT_H
#define MONITOR_COMPUTATION_RELEVANT_H

#include "monitor/computation/message_pool.h"

/* Chooses variables and `rich` of the computation's labels by its properties. */
void relevant_start(const struct run_ops *acts, struct computation *computation);

/*
 * Labels by entry, to be freed. `every`: what means nothing is seen all the same. With a binding only
 * events that it has all values of have a meaning.
 */
uint32_t *relevant_labels(const struct message_pool *pool, struct computation *computation,
			  bool every);

#endif
