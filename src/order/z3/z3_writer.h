/*
 * Writes a model and a query as clauses for Z3. Private to src/order/z3.
 *
 * A clause is built literal by literal and then ended. A literal is not written if
 * must-happen-before or the query's unit clauses determine its truth (GPredict §III.C).
 */
#ifndef ORDER_Z3_Z3_WRITER_H
#define ORDER_Z3_Z3_WRITER_H

#include "order/z3/cone.h"

#include <z3.h>

struct z3_writer {
	const struct order_model *model;
	const struct order_clock *clock;
	const struct order_query *query;
	struct order_cone cone;
	Z3_context z3;
	Z3_solver solver;
	Z3_sort integer, boolean;
	Z3_ast *moment; /* for each node: its integer; NULL: the node is not written */
	Z3_ast cut;
	Z3_ast *booleans;     /* for each atom of the query, by its number */
	VEC(Z3_ast) literals; /* literals of the clause being built */
	bool satisfied;	      /* the clause being built is true in any case */
	uint64_t written;     /* number of literals */
	uint64_t deadline;    /* in z3_now() time */
	bool over;	      /* out of time or too large: nothing more is written */
};

enum z3_truth { Z3_NEVER, Z3_ALWAYS, Z3_OPEN };

/* Returns what is known about "a before b". */
enum z3_truth z3_known_order(const struct z3_writer *w, uint32_t a, uint32_t b);

/* Can the node be inside? All rules of the model ignore nodes that cannot. */
static inline bool z3_can_be_inside(const struct z3_writer *w, uint32_t node)
{
	return node != ORDER_NONE && order_cone_reaches(&w->cone, node);
}

Z3_ast z3_moment(const struct z3_writer *w, uint32_t node);
Z3_ast z3_make_boolean(struct z3_writer *w);

void z3_add(struct z3_writer *w, Z3_ast literal);
void z3_add_not(struct z3_writer *w, Z3_ast literal);
void z3_add_before(struct z3_writer *w, uint32_t a, uint32_t b);
void z3_add_literal(struct z3_writer *w, int32_t literal); /* a literal of the query */
void z3_end_clause(struct z3_writer *w);

/* Writes: if `choice` holds, a comes before b. */
void z3_write_choice_implies(struct z3_writer *w, Z3_ast choice, uint32_t a, uint32_t b);

/*
 * Writes: at most `limit` of the literals hold. Uses the sequential counter of Sinz (2005):
 * at_least[k] says that at least k + 1 of the literals so far hold. Takes count * limit booleans.
 */
void z3_write_at_most(struct z3_writer *w, const Z3_ast *literals, uint32_t count, uint32_t limit);

void z3_write_edges(struct z3_writer *w);
void z3_write_reads(struct z3_writer *w);
void z3_write_locks(struct z3_writer *w);
void z3_write_semaphores(struct z3_writer *w);
void z3_write_conditions(struct z3_writer *w);

uint64_t z3_now(void); /* nanoseconds */

#endif
