/*
 * From a solution to a schedule that people can read: only what is needed, few switches.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "order/model/model.h"
#include "order/solver/solve.h"

typedef VEC(uint32_t) witness_nodes;

/*
 * The nodes inside `solution`, with everything dropped that the nodes at the cut do not lean on,
 * and reordered for fewer switches. `required[t]`: how many nodes of thread t must stay inside.
 * With `keep_all` nothing is dropped. Whatever keeps the order of dependent events keeps every
 * result (Mazurkiewicz), so the outcome is feasible if the solution was.
 */
void witness_make(const struct order_model *model, const struct order_solution *solution,
		  const uint32_t *required, bool keep_all, witness_nodes *out);

/*
 * The same, `required` NULL for `keep_all`; of the nodes of `fixed` those that stay keep the order
 * they have in the solution.
 */
void witness_make_fixed(const struct order_model *model, const struct order_solution *solution,
			const uint32_t *required, const uint32_t *fixed, uint32_t fixed_count,
			witness_nodes *out);

#endif
