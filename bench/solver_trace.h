/*
 * Made-up windows for the solver: threads that read and write variables, mostly each lock's own
 * under that lock, with nested sections, and pairs of accesses to ask about.
 */
#ifndef BENCH_SOLVER_TRACE_H
#define BENCH_SOLVER_TRACE_H

#include "order/model/clock.h"
#include "order/model/query.h"

struct solver_shape {
	uint32_t events, threads, variables, locks;
	double enter;  /* chance that a step outside of sections takes a lock */
	double change; /* chance that another thread goes on */
	double small;  /* chance that a written value is one of three, not a new one */
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
 * Up to `count` different pairs that could race: conflicting accesses of two threads that no
 * lock in common and no must-happen-before keeps apart. Half of them are the nearest such access,
 * half any write of the variable. Returns how many there are.
 */
uint32_t solver_trace_pairs(struct solver_trace *trace, struct solver_pair *pairs, uint32_t count);

/* Both are next: a race. */
void solver_trace_ask(const struct solver_trace *trace, struct solver_pair pair,
		      struct order_query *query);

#endif
