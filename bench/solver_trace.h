/*
 * Synthetic windows for the solver: threads that read and write variables, mostly those of a lock
 * under that lock, with nested sections; and pairs of accesses to query.
 */
#ifndef BENCH_SOLVER_TRACE_H
#define BENCH_SOLVER_TRACE_H

#include "order/model/clock.h"
#include "order/model/query.h"

struct solver_shape {
	uint32_t events, threads, variables, locks;
	double enter;  /* probability that a step outside of sections takes a lock */
	double change; /* probability that another thread continues */
	double small;  /* probability that a written value is one of three, not a new one */
};

struct solver_pair {
	uint32_t a, b; /* nodes */
};

struct solver_trace {
	struct order_model model;
	struct order_clock clock;
	uint32_t *variable; /* of each node; ORDER_NONE: not an access */
	bool *writes;	    /* of each node */
	uint64_t random;    /* state */
};

uint64_t solver_trace_random(uint64_t *state);

/* The same shape and seed make the same trace, on every machine. */
void solver_trace_make(struct solver_trace *trace, const struct solver_shape *shape, uint64_t seed);
void solver_trace_free(struct solver_trace *trace);

/*
 * Finds up to `count` different pairs that could race: conflicting accesses by two threads that
 * neither a common lock nor must-happen-before keeps apart. Half of them are the nearest such
 * access, half any write of the variable. Returns the number of pairs.
 */
uint32_t solver_trace_pairs(struct solver_trace *trace, struct solver_pair *pairs, uint32_t count);

/* Builds the query that both are next: a race. */
void solver_trace_ask(const struct solver_trace *trace, struct solver_pair pair,
		      struct order_query *query);

#endif
