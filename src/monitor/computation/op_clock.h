/*
 * Vector clocks along the operations of a run: for each operation, how many operations of every
 * column come before it, under strong or weak causality. Threads and objects have clocks that are
 * allocated when they are first used. A clock has an entry for each column, not for each thread
 * that ever existed.
 *
 * Under weak causality, the clocks also tell which sets of an object are ordered in every run. If
 * any member of a set comes before the first member of another set, the whole set does: a set that
 * has begun must be complete before another one begins. (It is not enough that some member comes
 * before a later member of the other set, because the other set may begin first. Such a run leads
 * to a dead end, but it is a run.) If all sets of an object are ordered in this way, the object
 * *decides* nothing: it leaves no choice.
 */
#ifndef MONITOR_COMPUTATION_OP_CLOCK_H
#define MONITOR_COMPUTATION_OP_CLOCK_H

#include "monitor/computation/run_op.h"

/* What clocks count, in this order; each part has `columns` numbers. */
enum op_clock_part {
	OP_CLOCK_OPS,	  /* all operations */
	OP_CLOCK_COUNTED, /* those marked in `counted` */
	/*
	 * of the counted ones: those with a creation, begin or join of a thread between them and
	 * the operation
	 */
	OP_CLOCK_FENCES,
	OP_CLOCK_PARTS
};

struct op_clock_options {
	bool strong;
	uint8_t parts;		/* how many of the parts to compute */
	const uint8_t *counted; /* by operation; NULL: none */
	/*
	 * weak causality only: set to 1 for each object whose sets are not all ordered; may be NULL
	 */
	uint8_t *decides;
};

struct clocks;

struct clocks *clocks_open(const struct run_ops *ops, const struct op_clock_options *options);
void clocks_close(struct clocks *clocks);

/*
 * Processes the next operation. If `seen` is not NULL, stores the operation's clock there, which
 * includes the operation itself: `parts` × columns numbers.
 */
void clocks_step(struct clocks *clocks, uint32_t *seen);

/*
 * Returns, by object, whether some of its sets are not ordered against each other. The caller frees
 * it.
 */
uint8_t *op_clock_find_deciding(const struct run_ops *ops);

#endif
