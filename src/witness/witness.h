/*
 * From a solution to a schedule that people can read: only what is needed, few switches.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "order/model.h"
#include "order/solve.h"

typedef VEC(uint32_t) witness_nodes;

/*
 * The nodes inside `solution`, with everything dropped that the nodes at the cut do not lean on,
 * and reordered for fewer switches. `required[t]`: how many nodes of thread t must stay inside.
 * With `keep_all` nothing is dropped. Whatever keeps the order of dependent events keeps every
 * result (Mazurkiewicz), so the outcome is feasible if the solution was.
 */
void witness_make(const struct order_model *model, const struct order_solution *solution,
		  const uint32_t *required, bool keep_all, witness_nodes *out);

#endif
