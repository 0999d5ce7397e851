/*
 * Clauses over order atoms and booleans: conflict-driven search (Marques-Silva & Sakallah, GRASP;
 * Moskewicz et al., Chaff) with the total order (topo_order.h) as its theory.
 *
 * A state is always a whole one: what is not assigned has the value that the current order gives
 * it, a boolean the one it had last. The search decides only where a clause does not hold in that
 * state, so it ends as soon as the order happens to satisfy everything, and it keeps what was
 * good when it goes back. Private to the solver.
 */
#ifndef ORDER_SOLVER_CDCL_H
#define ORDER_SOLVER_CDCL_H

#include "order/solver/topo_order.h"

/* Literals that are known: never stored. */
#define CDCL_TRUE INT32_MAX
#define CDCL_FALSE (-INT32_MAX)

struct cdcl_variable {
	uint32_t before, after; /* nodes; of a boolean: nodes that it would bring together */
	uint32_t level, reason; /* reason: a clause, or ORDER_NONE */
	bool is_order, seen;
	bool state;	     /* its value in the state when that was last looked at: cdcl_state.c */
	bool preferred;	     /* a boolean to try first: it is what was recorded */
	int8_t value, phase; /* 1, -1; value 0: not assigned */
	double activity;
};

struct cdcl_watch {
	uint32_t clause;
	int32_t other; /* a literal of the clause: if it is true nobody need look at it */
};
typedef VEC(struct cdcl_watch) cdcl_watches;

typedef VEC(uint32_t) cdcl_clauses;

/* An entry of the table that finds the variable of two nodes. */
struct cdcl_slot {
	uint64_t nodes;
	uint32_t epoch, variable;
};

struct cdcl {
	struct topo_order *total;
	VEC(struct cdcl_variable) variables; /* the first is not used */
	cdcl_watches *watches;		     /* [2 * variable + (negative)] */
	uint32_t watch_room;
	struct cdcl_slot *slots;
	uint32_t slot_mask, slot_count, epoch;
	/* A clause: size, glue (learned: how many levels; 0: of the problem), literals. */
	VEC(int32_t) arena;
	VEC(uint32_t) learned; /* clauses, by where they start in arena */
	VEC(int32_t) trail;
	VEC(uint32_t) levels; /* where in the trail each begins */
	size_t propagated, ordered;
	VEC(int32_t) conflict, lesson, scratch;
	VEC(uint32_t) seen;
	/*
	 * The state. A clause of the problem is in one place: with a literal of it that holds, or
	 * among those of which none may hold.
	 */
	cdcl_clauses *supported; /* [2 * variable + (negative)] */
	cdcl_clauses violated;	 /* maybe: some may hold again */
	cdcl_clauses *atoms_of;	 /* for each node: order variables with it */
	cdcl_clauses changed;	 /* booleans that were assigned */
	size_t learned_limit;
	double bump;
	bool contradiction;
	uint64_t steps, limit; /* of this query; limit 0: none */
	uint64_t conflicts, decisions, until_restart, restarts;
	uint64_t pause; /* search stops when there were so many conflicts; 0: never */
};

enum cdcl_result { CDCL_SETTLED, CDCL_CONTRADICTION, CDCL_OUT_OF_BUDGET, CDCL_PAUSED };

void cdcl_make(struct cdcl *cdcl, struct topo_order *total);
void cdcl_free(struct cdcl *cdcl);

/* Forgets everything; the total order is the caller's to reset. */
void cdcl_reset(struct cdcl *cdcl);

/* "a before b", by whatever number the pair has. */
int32_t cdcl_before(struct cdcl *cdcl, uint32_t a, uint32_t b);
/* A boolean that would bring two nodes together (any nodes if it does not). */
int32_t cdcl_boolean(struct cdcl *cdcl, uint32_t a, uint32_t b, bool preferred);

/* Adds a clause of the problem; known literals are allowed. Undoes all decisions if there are any.
 * Literals are dropped or sorted in place. */
void cdcl_add(struct cdcl *cdcl, int32_t *literals, size_t count);

/* The value in the current state. */
bool cdcl_holds(const struct cdcl *cdcl, int32_t literal);

/* Does the clause tell more than the last state of the search knew: does it not hold there? */
bool cdcl_is_news(const struct cdcl *cdcl, const int32_t *literals, size_t count);

/* Undoes all decisions: what is on the trail then follows from the problem. */
void cdcl_undo_all(struct cdcl *cdcl);

/* Until every clause of the problem holds in the current state, or none can make them. */
enum cdcl_result cdcl_search(struct cdcl *cdcl);

/* ---- among the files of the search ------------------------------------------------------------ */

enum cdcl_clause_part { CDCL_SIZE, CDCL_GLUE, CDCL_LITERALS };

static inline struct cdcl_variable *cdcl_variable_of(const struct cdcl *cdcl, int32_t literal)
{
	return &cdcl->variables.items[literal > 0 ? literal : -literal];
}

static inline uint32_t cdcl_watch_of(int32_t literal)
{
	return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1;
}

/* cdcl_learn.c: from `conflict` to `lesson`; returns the level to go back to, sets its glue. */
uint32_t cdcl_analyse(struct cdcl *cdcl, int32_t *glue);
void cdcl_forget(struct cdcl *cdcl);

/* cdcl_state.c: a literal that would repair a clause that does not hold, 0 if all hold. */
int32_t cdcl_pick(struct cdcl *cdcl);

#endif
