/*
 * Where the current order is not feasible, and the clauses that say so.
 *
 * lemma_check plays the nodes inside in their current order. For each event that could not happen
 * it adds a clause of the model that this order violates; if there is none the order is an
 * answer. Only clauses that some order violated are ever made: of the model's, which are
 * quadratic in locks and cubic in cells, a query sees a few hundred. Private to the solver.
 */
#ifndef ORDER_SOLVER_LEMMA_H
#define ORDER_SOLVER_LEMMA_H

#include "base/map.h"
#include "order/solver/cdcl.h"
#include "order/solver/closure.h"
#include "order/model/query.h"

/* One way to explain an event: a read's writer, a fail's section, a woken node's signal. */
struct lemma_choice {
	int32_t literal;
	uint32_t what; /* a node (ORDER_NONE: initial value), a section, a signal */
};

/* The choices made for an event, if it needed any: a range of `choices`. */
struct lemma_choices {
	uint32_t epoch, start, count;
};

typedef VEC(uint32_t) lemma_list;

struct lemma_pair {
	uint32_t wait, signal;
	int32_t literal;
};

/* The state of objects while playing. */
struct lemma_cell {
	uint32_t round, writer;
};
struct lemma_lock {
	uint32_t round;
	lemma_list open; /* sections */
};
struct lemma_condition {
	uint32_t round, deaf; /* deaf: epoch of a query that asks for deaf waits */
	lemma_list waiting;   /* waits that nothing has woken yet */
};
struct lemma_semaphore {
	uint32_t round;
	uint64_t posts, downs;
};
struct lemma_takes {
	uint32_t round, pair;
};

struct lemma {
	const struct order_index *index;
	struct topo_order *total;
	struct cdcl *cdcl;
	struct closure *closure;
	const struct order_query *query;
	const int32_t *atoms; /* the query's atoms as literals of cdcl, from 1 */
	uint32_t epoch;	      /* of the query */
	uint32_t round;	      /* of the check: state of objects is good when its number is this */
	uint64_t lemmas;      /* made, ever */
	VEC(struct lemma_choice) choices;
	struct lemma_choices *of_read, *of_fail, *of_wait;
	VEC(int32_t) clause;
	uint32_t *latest;  /* for each thread: room for its last write, post or down */
	lemma_list broken; /* waits that nothing wakes, found in this round */
	lemma_list crowd;  /* room for waits that want too few signals */
	struct lemma_cell *cells;
	struct lemma_lock *locks;
	struct lemma_condition *conditions;
	struct lemma_semaphore *semaphores;
	struct lemma_takes *takes; /* for each wait */
	uint32_t *taken;	   /* for each signal: the wait that takes it, ORDER_NONE: nobody */
	/* "this wait takes this signal", as far as a clause needed it */
	struct map pair_of; /* wait << 32 | signal: literal */
	VEC(struct lemma_pair) pairs;
};

void lemma_make(struct lemma *lemma, const struct order_index *index, struct topo_order *total,
		struct cdcl *cdcl, struct closure *closure);
void lemma_free(struct lemma *lemma);

/* A new query: nothing was chosen yet. */
void lemma_reset(struct lemma *lemma, const struct order_query *query, const int32_t *atoms);

/* Returns whether the current order is an answer; adds clauses that it violates if it is not. */
bool lemma_check(struct lemma *lemma);

/* ---- among the files of lemmas ---------------------------------------------------------------- */

/* "a before b" as a literal; what is certain is CDCL_TRUE or CDCL_FALSE. */
int32_t lemma_before(struct lemma *lemma, uint32_t a, uint32_t b);

void lemma_begin(struct lemma *lemma);
void lemma_literal(struct lemma *lemma, int32_t literal);
/* Adds the clause; it must not hold in the current order: that is why it was made. */
void lemma_end(struct lemma *lemma);
/* The same for a clause that may hold: what a choice implies. */
void lemma_imply(struct lemma *lemma, int32_t choice, int32_t literal);
/* A new choice; with a node to be taken into the prefix for it, and one that takes it. */
int32_t lemma_choose(struct lemma *lemma, uint32_t what, uint32_t a, uint32_t b, bool preferred);

/* lemma_read.c */
void lemma_read(struct lemma *lemma, uint32_t cell, uint32_t read);
/* lemma_semaphore.c */
void lemma_down(struct lemma *lemma, uint32_t semaphore, uint32_t node);
void lemma_zero(struct lemma *lemma, uint32_t semaphore, uint32_t node, int32_t guard);
/* lemma_wait.c */
void lemma_waits_reset(struct lemma *lemma);
void lemma_play_wait(struct lemma *lemma, uint32_t condition, uint32_t wait);
void lemma_play_signal(struct lemma *lemma, uint32_t condition, uint32_t signal);
void lemma_play_woken(struct lemma *lemma, uint32_t condition, uint32_t wait);
void lemma_waits_end(struct lemma *lemma);
/* A literal of the query as one of cdcl. */
int32_t lemma_translate(const struct lemma *lemma, int32_t literal);

#endif
