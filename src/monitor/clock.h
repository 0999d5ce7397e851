/*
 * Vector clocks along the acts of a run: for each act what of every column comes before it, under
 * one of the causalities. Threads and objects have clocks that grow only when they are used; a clock
 * has an entry for each column, not for each thread that ever was.
 *
 * Weak causality also learns which sets of an object come one after the other whatever happens: if any
 * member of a set comes before one of the next, all of it comes before all of that. Each such pair
 * orders more, so the walk is repeated until nothing new is found (clock_order_sets).
 */
#ifndef MONITOR_CLOCK_H
#define MONITOR_CLOCK_H

#include "monitor/act.h"

/* What clocks count, in this order; each a stretch of `columns` numbers. */
enum clock_part {
	CLOCK_ACTS,    /* all acts */
	CLOCK_COUNTED, /* those that `counted` says */
	CLOCK_FENCES,  /* of the counted: those with a thread's creation, begin or join behind */
	CLOCK_PARTS
};

/* What is known of the sets of a computation. */
struct clock_sets {
	uint8_t *follows;  /* by set: all of it comes after all of what was there before it */
	uint32_t *objects; /* by set */
	uint8_t *decides;  /* by object: some sets are not ordered against each other */
	uint32_t *sizes;   /* by set: members */
};

struct clock_options {
	bool strong;
	uint8_t parts;		 /* so many of them */
	const uint8_t *counted;	 /* by act; NULL: none */
	struct clock_sets *sets; /* weak: used, and where `learns` filled */
	bool learns;
};

struct clocks;

struct clocks *clocks_open(const struct acts *acts, const struct clock_options *options);
void clocks_close(struct clocks *clocks);

/* The next act; `seen`, if asked for, gets its clock, `parts` × columns numbers, itself counted. */
void clocks_step(struct clocks *clocks, uint32_t *seen);

/* Finds `follows` and `decides`; to be freed with clock_sets_free. */
void clock_order_sets(const struct acts *acts, struct clock_sets *sets);
void clock_sets_free(struct clock_sets *sets);

#endif
