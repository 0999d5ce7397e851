/*
 * Vector clocks along the acts of a run: for each act what of every column comes before it, under
 * one of the causalities. Threads and objects have clocks that grow only when they are used; a clock
 * has an entry for each column, not for each thread that ever was.
 *
 * Weak causality also knows which sets of an object come one after the other whatever happens: if any
 * member of a set comes before the first one of the next, all of it does, since a set that has begun
 * must be whole before another one begins. (That some member comes before a later one of the next is
 * not enough: the next one may begin first. That run leads nowhere, but it is one.) An object all
 * whose sets are ordered in this way decides nothing.
 */
#ifndef MONITOR_COMPUTATION_OP_CLOCK_H
#define MONITOR_COMPUTATION_OP_CLOCK_H

#include "monitor/computation/run_op.h"

/* What clocks count, in this order; each a stretch of `columns` numbers. */
enum op_clock_part {
	OP_CLOCK_ACTS,	  /* all acts */
	OP_CLOCK_COUNTED, /* those that `counted` says */
	OP_CLOCK_FENCES,  /* of the counted: those with a thread's creation, begin or join behind */
	OP_CLOCK_PARTS
};

struct op_clock_options {
	bool strong;
	uint8_t parts;		/* so many of them */
	const uint8_t *counted; /* by act; NULL: none */
	uint8_t *decides; /* weak: gets 1 by object some of whose sets are not ordered; or NULL */
};

struct clocks;

struct clocks *clocks_open(const struct run_ops *acts, const struct op_clock_options *options);
void clocks_close(struct clocks *clocks);

/* The next act; `seen`, if asked for, gets its clock, `parts` × columns numbers, itself counted. */
void clocks_step(struct clocks *clocks, uint32_t *seen);

/* By object: are some of its sets not ordered against each other? To be freed. */
uint8_t *op_clock_find_deciding(const struct run_ops *acts);

#endif
