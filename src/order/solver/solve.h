/*
 * Decides a query: is there a feasible schedule of the model that satisfies it?
 *
 * The native solver is made for many queries on one model: data that do not depend on the query are
 * computed once. It works lazily. It takes the recorded order as a first guess (recorded_guess.h)
 * and replays it. Where the order is infeasible, it adds the violated clauses (lemma.h), and a
 * search (cdcl.h) repairs the total order (topo_order.h) until all clauses hold. If a query has too
 * many conflicts, the solver first draws all conclusions that need no choice (closure.h,
 * saturate.c) and then searches again.
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

/* For ORDER_POSSIBLE: the nodes inside, in order. Valid until the solver's next query. */
struct order_solution {
	const uint32_t *inside;
	uint32_t count;
};

/* Statistics since the solver was opened. */
struct order_counts {
	uint64_t queries;
	uint64_t by_projection; /* possible: the recorded guess was the answer */
	uint64_t by_saturation; /* impossible, without a conflict or decision */
	uint64_t by_greedy;	/* possible: lemmas were needed, but no conflict or decision */
	uint64_t by_search, unknown;
	uint64_t conflicts, decisions, lemmas, moves; /* moves: nodes visited to reorder */
};

struct order_solver;

/* `model` and `clock` must outlive the solver. A solver is used by one thread at a time. */
struct order_solver *order_solver_open(const struct order_model *model,
				       const struct order_clock *clock);
void order_solver_close(struct order_solver *solver);

/*
 * `budget` is a number of steps that does not depend on the machine, about a tenth of a microsecond
 * each; 0: no limit. The answer to a query does not depend on earlier queries.
 */
enum order_answer order_solve(struct order_solver *solver, const struct order_query *query,
			      uint64_t budget, struct order_solution *solution);
/*
 * Sets the number of conflicts after which the closure is saturated for the query. This is
 * expensive, but often decides the query. 0: before the first search. The default is good; tests
 * use other numbers, too.
 */
void order_solver_set_patience(struct order_solver *solver, uint64_t conflicts);
const struct order_counts *order_solver_counts(const struct order_solver *solver);

/*
 * A solver other than the native one: order_solve_z3() (order/z3/z3.h). Decides one query within a
 * number of milliseconds; 0: no limit. If the answer is ORDER_POSSIBLE, sets *inside to the nodes
 * that are inside, in order, and *count to their number. The caller frees *inside.
 */
typedef enum order_answer order_external_solver(const struct order_model *model,
						const struct order_clock *clock,
						const struct order_query *query,
						unsigned milliseconds, uint32_t **inside,
						uint32_t *count);

#endif
