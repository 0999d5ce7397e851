/* Random questions with all that a model can say. */
#ifndef TEST_QUERIES_RANDOM_H
#define TEST_QUERIES_RANDOM_H

#include "queries_sketch.h"

/*
 * A run of `nodes` steps of a few threads, in which each step could happen, and a query about it.
 * One model in four is then disturbed, so that not even its recorded order is feasible for sure.
 */
void queries_make(struct sketch *sketch, uint32_t nodes, uint64_t *random);

#endif
