/*
 * A first guess at an answer: the part of the recorded run that a query needs, in recorded order.
 *
 * Starting from the nodes that must be inside, each event draws in what it depended on when it was
 * recorded: a read its writer, an acquire the release before it, a woken node its signal. Nodes
 * that must be outside are not drawn in. The recorded order restricted to such a set is feasible
 * again, so if nothing was refused it is the answer. Otherwise the search starts from it. The cost
 * is proportional to the nodes drawn in. Private to the solver.
 */
#ifndef ORDER_SOLVER_RECORDED_GUESS_H
#define ORDER_SOLVER_RECORDED_GUESS_H

#include "order/solver/closure.h"

struct recorded_guess_semaphore {
	uint32_t epoch, drawn; /* drawn: number of its downs drawn in for failed tries */
};

struct recorded_guess {
	const struct order_index *index;
	uint32_t *inside;      /* the result: for each thread, how many of its nodes */
	uint32_t *done;	       /* for each thread, how many of those were looked at */
	VEC(uint32_t) threads; /* threads that may have more inside than done */
	uint32_t epoch;
	struct open_sections *locks; /* sections inside whose release is not */
	struct recorded_guess_semaphore *semaphores;
	uint64_t steps; /* nodes looked at for the last query */
};

void recorded_guess_make(struct recorded_guess *guess, const struct order_index *index);
void recorded_guess_free(struct recorded_guess *guess);
void recorded_guess_run(struct recorded_guess *guess, const struct closure *closure);

#endif
