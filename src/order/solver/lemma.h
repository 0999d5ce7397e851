/*
 * Finds the events for which the current order is not feasible, and adds clauses that exclude it.
 *
 * lemma_check() replays the nodes that are inside, in the current order. For each event that cannot
 * happen at its position, it adds a clause of the model that this order violates (a *lemma*). If
 * there is no such event, the order is an answer. So clauses are made only when an order violates
 * them. The number of all clauses of the model is quadratic in the sections of a lock and cubic in
 * the accesses to a cell; a query needs a few hundred of them. Private to the solver.
 */
#ifndef ORDER_SOLVER_LEMMA_H
#define ORDER_SOLVER_LEMMA_H

#include "base/map.h"
#include "order/solver/cdcl.h"
#include "order/solver/closure.h"
#include "order/model/query.h"

/* A way to explain an event: the writer of a read, the section of a failed try, a wait's signal. */
struct lemma_choice {
	int32_t literal;
	uint32_t what; /* a node (ORDER_NONE: initial value), a section or a signal */
};

/* All ways to explain an event: a range of `choices`, valid if `epoch` is the query's number. */
struct lemma_choices {
	uint32_t epoch, start, count;
};

typedef VEC(uint32_t) lemma_list;

struct lemma_pair {
	uint32_t wait, signal;
	int32_t literal;
};

/* The state of objects during the replay. */
struct lemma_cell {
	uint32_t round, writer;
};
struct lemma_condition {
	uint32_t round, unwoken; /* unwoken: epoch of the last query about an unwoken wait here */
	lemma_list waiting;	 /* waits that have begun and have not been woken */
};
struct lemma_semaphore {
	uint32_t round;
	uint64_t posts, downs;
};
struct lemma_wait_pair {
	uint32_t round, pair;
};

struct lemma {
	const struct order_index *index;
	struct topo_order *total;
	struct cdcl *cdcl;
	struct closure *closure;
	const struct order_query *query;
	const int32_t *atoms; /* the query's atoms as cdcl literals, from 1 */
	uint32_t epoch;	      /* number of the query */
	/* number of the check: the state of an object is valid if its `round` is the same */
	uint32_t round;
	uint64_t lemmas; /* number of lemmas ever made */
	VEC(struct lemma_choice) choices;
	struct lemma_choices *of_read, *of_fail, *of_wait;
	VEC(int32_t) clause;
	uint32_t *latest;	/* scratch, for each thread: its last write, post or down */
	lemma_list unsignalled; /* waits without a signal, found in this round */
	lemma_list crowd;	/* scratch: a set of waits with fewer possible signals than waits */
	struct lemma_cell *cells;
	struct open_sections *locks;
	struct lemma_condition *conditions;
	struct lemma_semaphore *semaphores;
	struct lemma_wait_pair *pair_of_wait;
	uint32_t *used_by; /* for each signal: the wait that uses it, or ORDER_NONE */
	/* wait << 32 | signal to the literal "wait uses signal", if a clause has needed it */
	struct map pair_of;
	VEC(struct lemma_pair) pairs;
};

void lemma_make(struct lemma *lemma, const struct order_index *index, struct topo_order *total,
		struct cdcl *cdcl, struct closure *closure);
void lemma_free(struct lemma *lemma);

/* Begins a new query, without choices. */
void lemma_reset(struct lemma *lemma, const struct order_query *query, const int32_t *atoms);

/* Returns whether the current order is an answer. If it is not, adds clauses that it violates. */
bool lemma_check(struct lemma *lemma);

/* ---- between the files of lemmas ------------------------------------------------------------- */

/* Returns the literal of "a before b", or CDCL_TRUE or CDCL_FALSE if its value is certain. */
int32_t lemma_before(struct lemma *lemma, uint32_t a, uint32_t b);

void lemma_begin_clause(struct lemma *lemma);
void lemma_add_literal(struct lemma *lemma, int32_t literal);
/* Adds the clause, which must not hold in the current order. */
void lemma_end_clause(struct lemma *lemma);
/* Adds a clause of two literals, which must not hold in the current order. */
void lemma_add_either(struct lemma *lemma, int32_t one, int32_t other);
/* Adds the clause "choice implies literal", which may hold already. */
void lemma_add_implication(struct lemma *lemma, int32_t choice, int32_t literal);

/* lemma_read.c */
void lemma_add_read(struct lemma *lemma, uint32_t cell, uint32_t read);
/* lemma_semaphore.c */
void lemma_add_down(struct lemma *lemma, uint32_t semaphore, uint32_t node);
void lemma_add_zero(struct lemma *lemma, uint32_t semaphore, uint32_t node, int32_t guard);
/* lemma_wait.c */
void lemma_waits_reset(struct lemma *lemma);
void lemma_replay_wait(struct lemma *lemma, uint32_t condition, uint32_t wait);
void lemma_replay_signal(struct lemma *lemma, uint32_t condition, uint32_t signal);
void lemma_replay_woken(struct lemma *lemma, uint32_t condition, uint32_t wait);
void lemma_check_waits(struct lemma *lemma);
/* Translates a literal of the query into one of cdcl. */
int32_t lemma_literal_of_query(const struct lemma *lemma, int32_t literal);

#endif
