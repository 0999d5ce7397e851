/*
 * Synthetic windows for the solver, and pairs of accesses to query. Threads read and write
 * variables, and take locks in nested sections. Most variables that belong to a lock are accessed
 * under this lock.
 */
#ifndef BENCH_SOLVER_TRACE_H
#define BENCH_SOLVER_TRACE_H

#include "order/model/clock.h"
#include "order/model/query.h"

struct solver_shape {
	uint32_t events, threads, variables, locks;
	double enter;  /* probability that a step outside of sections takes a lock */
	double change; /* probability that another thread continues */
	double small;  /* probability that a written value is one of three values, not a new one */
};

struct solver_pair {
	uint32_t a, b; /* nodes */
};

struct solver_trace {
	struct order_model model;
	struct order_clock clock;
	/* by node: the accessed variable; ORDER_NONE if the node is no access */
	uint32_t *variable;
	bool *writes;	 /* by node: is it a write? */
	uint64_t random; /* state of the random generator */
};

uint64_t solver_trace_random(uint64_t *state);

/* The same shape and seed make the same trace, on every machine. */
void solver_trace_make(struct solver_trace *trace, const struct solver_shape *shape, uint64_t seed);
void solver_trace_free(struct solver_trace *trace);

/*
 * Finds up to `count` different pairs that could race: conflicting accesses by two threads that are
 * ordered neither by a common lock nor by must-happen-before. In half of the pairs the second
 * access is the nearest one, in the other half it is any write of the variable. Returns the number
 * of pairs.
 */
uint32_t solver_trace_pairs(struct solver_trace *trace, struct solver_pair *pairs, uint32_t count);

/* Builds the query for a race: is there an order after which both accesses are next? */
void solver_trace_ask(const struct solver_trace *trace, struct solver_pair pair,
		      struct order_query *query);

#endif
