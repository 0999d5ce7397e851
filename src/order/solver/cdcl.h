/*
 * Searches for a total order that satisfies a set of clauses over order atoms and booleans:
 * conflict-driven clause learning (Marques-Silva & Sakallah, GRASP; Moskewicz et al., Chaff) with
 * the total order (topo_order.h) as its theory.
 *
 * The state is always complete: an order atom that is not assigned has its value in the current
 * order, and a boolean that is not assigned has its last value. The search makes a decision only
 * for a clause that does not hold in this state. So it ends as soon as the order satisfies all
 * clauses, and it keeps the good parts of the order when it backtracks. Private to the solver.
 */
#ifndef ORDER_SOLVER_CDCL_H
#define ORDER_SOLVER_CDCL_H

#include "order/solver/topo_order.h"

/* Literals whose truth is known. They are never stored in clauses. */
#define CDCL_TRUE INT32_MAX
#define CDCL_FALSE (-INT32_MAX)

struct cdcl_variable {
	uint32_t before, after; /* nodes; for a boolean, nodes that it brings close together */
	uint32_t level, reason; /* reason: the clause that implied its value, or ORDER_NONE */
	bool is_order, seen;
	bool state;	     /* its value in the state, at the last refresh in cdcl_state.c */
	bool preferred;	     /* a boolean that holds in the recorded run; it is tried first */
	int8_t value, phase; /* 1 or -1; value 0: not assigned */
	double activity;
};

struct cdcl_watch {
	uint32_t clause;
	/* another literal of the clause: if it is true, the clause need not be read */
	int32_t other;
};
typedef VEC(struct cdcl_watch) cdcl_watches;

typedef VEC(uint32_t) cdcl_clauses;

/* An entry of the hash table from pairs of nodes to variables. */
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
	/* Clauses: each is its size, its glue (0 if it is not learned), and its literals. */
	VEC(int32_t) arena;
	VEC(uint32_t) learned; /* clauses, by their offset in arena */
	VEC(int32_t) trail;
	VEC(uint32_t) levels; /* for each level its start in the trail */
	size_t propagated, ordered;
	VEC(int32_t) conflict, derived, scratch;
	VEC(uint32_t) seen;
	/*
	 * The state. Each clause of the problem is in exactly one list: in the list of one of its
	 * literals that holds, or in the list `violated`.
	 */
	cdcl_clauses *supported; /* [2 * variable + (negative)] */
	cdcl_clauses violated;	 /* clauses that were violated; some may hold again */
	cdcl_clauses *atoms_of;	 /* for each node: the order variables that contain it */
	cdcl_clauses changed;	 /* booleans that were assigned since the last refresh */
	size_t learned_limit;
	double bump;
	bool contradiction;
	uint64_t steps, limit; /* steps of this query, and their limit (0: none) */
	uint64_t conflicts, decisions, until_restart, restarts;
	uint64_t pause; /* the search stops at this number of conflicts; 0: never */
};

enum cdcl_result { CDCL_SETTLED, CDCL_CONTRADICTION, CDCL_OUT_OF_BUDGET, CDCL_PAUSED };

void cdcl_make(struct cdcl *cdcl, struct topo_order *total);
void cdcl_free(struct cdcl *cdcl);

/* Forgets everything. The caller resets the total order itself. */
void cdcl_reset(struct cdcl *cdcl);

/* Returns the literal of "a before b". */
int32_t cdcl_before(struct cdcl *cdcl, uint32_t a, uint32_t b);
/* Returns a new boolean that would bring nodes a and b close together; ORDER_NONE: no nodes. */
int32_t cdcl_boolean(struct cdcl *cdcl, uint32_t a, uint32_t b, bool preferred);

/*
 * Adds a clause of the problem and undoes all decisions. The clause may contain CDCL_TRUE and
 * CDCL_FALSE. Changes the array `literals`.
 */
void cdcl_add(struct cdcl *cdcl, int32_t *literals, size_t count);

/* Returns the literal's value in the current state. */
bool cdcl_holds(const struct cdcl *cdcl, int32_t literal);

/* Is the clause new, that is, does it not hold in the last state of the search? */
bool cdcl_is_new(const struct cdcl *cdcl, const int32_t *literals, size_t count);

/* Undoes all decisions. The literals that stay on the trail follow from the problem. */
void cdcl_undo_all(struct cdcl *cdcl);

/* Searches until all clauses of the problem hold in the state, or it is proved that they cannot. */
enum cdcl_result cdcl_search(struct cdcl *cdcl);

/* ---- between the files of the search --------------------------------------------------------- */

enum cdcl_clause_part { CDCL_SIZE, CDCL_GLUE, CDCL_LITERALS };

static inline struct cdcl_variable *cdcl_variable_of(const struct cdcl *cdcl, int32_t literal)
{
	return &cdcl->variables.items[literal > 0 ? literal : -literal];
}

static inline uint32_t cdcl_watch_of(int32_t literal)
{
	return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1;
}

/* cdcl_learn.c: sets `derived` and its glue from `conflict`. Returns the level to go back to. */
uint32_t cdcl_analyse_conflict(struct cdcl *cdcl, int32_t *glue);
void cdcl_forget_learned(struct cdcl *cdcl);

/* cdcl_state.c: returns a literal that would repair a violated clause, 0 if all clauses hold. */
int32_t cdcl_pick_literal(struct cdcl *cdcl);

#endif
