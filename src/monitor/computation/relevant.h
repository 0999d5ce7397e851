/* Labels the entries of a pool: what each means to the properties of one computation. */
#ifndef MONITOR_COMPUTATION_RELEVANT_H
#define MONITOR_COMPUTATION_RELEVANT_H

#include "monitor/computation/message_pool.h"

/* Sets variables and `rich` of the computation's labels from its properties. */
void relevant_start(const struct run_ops *ops, struct computation *computation);

/*
 * Returns labels by entry, which the caller frees. With `every`, an entry that counts but has no
 * meaning is LABEL_NOTHING instead of silent. With a binding, only events that agree with it have a
 * meaning.
 */
uint32_t *relevant_labels(const struct message_pool *pool, struct computation *computation,
			  bool every);

#endif
