/*
 * Turns a solution into a schedule that people can read: only the nodes that are needed, with few
 * switches between threads.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "order/model/model.h"
#include "order/solver/solve.h"

typedef VEC(uint32_t) witness_nodes;

/*
 * Makes a schedule of the nodes in `solution`. The first required[t] nodes of each thread t must
 * stay. Drops every other node that no required node depends on, and reorders the rest for fewer
 * thread switches. If `required` is NULL, nothing is dropped. The nodes in `fixed` that are not
 * dropped stay in the order that they have in the solution. A reordering that keeps the order of
 * dependent events keeps every result (Mazurkiewicz), so the schedule is feasible if the solution
 * was.
 */
void witness_make(const struct order_model *model, const struct order_solution *solution,
		  const uint32_t *required, const uint32_t *fixed, uint32_t fixed_count,
		  witness_nodes *out);

#endif
