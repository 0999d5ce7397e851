/*
 * Deciding a query: is there a feasible schedule of the model that satisfies it?
 *
 * The native solver is for many queries on one model: what does not depend on the query is made
 * once. Other solvers (Z3) get the model and the query written out in full.
 */
#ifndef ORDER_SOLVER_SOLVE_H
#define ORDER_SOLVER_SOLVE_H

#include "order/model/clock.h"
#include "order/model/query.h"

enum order_answer {
	ORDER_IMPOSSIBLE,
	ORDER_POSSIBLE,
	ORDER_UNKNOWN, /* the budget ran out */
};

/* For ORDER_POSSIBLE: the nodes inside, in order. Valid until the next solve of that solver. */
struct order_solution {
	const uint32_t *inside;
	uint32_t count;
};

/* What was done since the solver was opened. */
struct order_counts {
	uint64_t queries;
	uint64_t by_projection; /* the recorded order answered */
	uint64_t by_saturation; /* impossible by consequences alone */
	uint64_t by_greedy;	/* an order was found without a decision */
	uint64_t by_search, unknown;
	uint64_t conflicts, decisions, lemmas, moves; /* moves: nodes visited to reorder */
};

struct order_solver;

/* `model` and `clock` must outlive the solver. A solver is used by one thread at a time. */
struct order_solver *order_solver_open(const struct order_model *model,
				       const struct order_clock *clock);
void order_solver_close(struct order_solver *solver);

/*
 * `budget` counts steps of work that do not depend on the machine, about a tenth of a microsecond
 * each; 0: no limit. The answer to a query does not depend on the queries before it.
 */
enum order_answer order_solve(struct order_solver *solver, const struct order_query *query,
			      uint64_t budget, struct order_solution *solution);
/*
 * After how many conflicts a query gets a closure of its own, which is expensive and then often
 * decides it; 0: before the search. There is a good default; tests want the others, too.
 */
void order_solver_set_patience(struct order_solver *solver, uint64_t conflicts);
const struct order_counts *order_solver_counts(const struct order_solver *solver);

/*
 * A solver other than the native one: order_solve_z3() (order/z3/z3.h). Decides one query within a
 * number of milliseconds; 0: no limit. For ORDER_POSSIBLE it sets *inside to the nodes inside, in
 * order, which the caller has to free, and *count to their number.
 */
typedef enum order_answer order_external_solver(const struct order_model *model,
						const struct order_clock *clock,
						const struct order_query *query,
						unsigned milliseconds, uint32_t **inside,
						uint32_t *count);

#endif
