/* Random queries with everything that a model can contain. */
#ifndef TEST_QUERIES_RANDOM_H
#define TEST_QUERIES_RANDOM_H

#include "queries_sketch.h"

/*
 * Makes a run of `nodes` feasible steps of a few threads, and a query about it. One model in four
 * is then changed, so that even its recorded order may be infeasible.
 */
void queries_make(struct sketch *sketch, uint32_t nodes, uint64_t *random);

#endif
