/*
 * A first guess at an answer: the part of the recorded run that a query needs, in recorded order.
 *
 * The guess starts with the nodes that must be inside. For each event it adds the node that the
 * event depended on in the recorded run: for a read its writer, for an acquire the release before
 * it, for a woken node its signal. Nodes that must be outside are not added. The recorded order,
 * restricted to these nodes, is feasible and is the answer, unless a node that must be outside was
 * needed. In this case the search starts from the guess. The cost is proportional to the number of
 * added nodes. Private to the solver.
 */
#ifndef ORDER_SOLVER_RECORDED_GUESS_H
#define ORDER_SOLVER_RECORDED_GUESS_H

#include "order/solver/closure.h"

struct recorded_guess_semaphore {
	uint32_t epoch, drawn; /* drawn: number of its downs that were added for failed tries */
};

struct recorded_guess {
	const struct order_index *index;
	uint32_t *inside;      /* the result: for each thread, how many of its nodes are inside */
	uint32_t *done;	       /* for each thread, how many of these nodes were processed */
	VEC(uint32_t) threads; /* threads for which `inside` may be larger than `done` */
	uint32_t epoch;
	struct open_sections *locks; /* sections whose acquire is inside and whose release is not */
	struct recorded_guess_semaphore *semaphores;
	uint64_t steps; /* number of nodes processed for the last query */
};

void recorded_guess_make(struct recorded_guess *guess, const struct order_index *index);
void recorded_guess_free(struct recorded_guess *guess);
void recorded_guess_run(struct recorded_guess *guess, const struct closure *closure);

#endif
