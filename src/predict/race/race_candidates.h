/*
 * Which pairs of accesses may race: candidates for the solver.
 *
 * They are listed cell by cell. Two conflicting accesses of different threads are a candidate if
 * neither has to be inside for the other to be next (must_precede.h) and no lock is held at both that
 * excludes: a thread that is next at an access has the locks that it had when it was recorded.
 */
#ifndef PREDICT_RACE_RACE_CANDIDATES_H
#define PREDICT_RACE_RACE_CANDIDATES_H

#include "base/map.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"
#include "predict/driver/site_pool.h"

struct race_candidates {
	uint32_t a, b; /* nodes; a was recorded before b */
};

/* A pair that meets in several cells may count more than once in its total. */
struct race_candidates_pool {
	struct site_group pool;
	VEC(struct race_candidates) pairs; /* some of them, nearest first */
};

/* Accesses of a cell by one thread at one site under the same locks. */
struct race_candidates_group {
	const uint32_t *nodes;
	uint32_t count;
	uint32_t thread, locks;
	uint8_t kind;
	uint64_t site; /* with the kind in it */
};

/* A set of locks, as a list: that of `rest` and one more. */
struct race_candidates_locks {
	uint32_t rest; /* ORDER_NONE: the empty set */
	uint64_t address;
	bool shared;
};

struct candidates {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct must_precede needs;	   /* once candidates_need was called */
	uint32_t *cell_start, *cell_nodes; /* by cell: accesses, in recorded order */
	uint32_t *locks_of; /* by `held` of the window: in locksets; ORDER_NONE not made */
	VEC(struct race_candidates_locks) locksets;
	struct map lockset_numbers;
	VEC(struct race_candidates_group) groups; /* of the present cell */
	VEC(struct race_candidates_pool) pools;
	struct map pool_numbers;
};

void candidates_open(struct candidates *c, const struct analysis *analysis);
void candidates_close(struct candidates *c);

/* Makes `needs`, unless they are there. */
void candidates_need(struct candidates *c);

/* Fills `groups` with the accesses of a cell; their nodes are good until the next call for it. */
void candidates_group(struct candidates *c, uint32_t cell);

/* Which is the first of the group's nodes that was recorded at or behind `node`. */
uint32_t candidates_first_behind(const struct race_candidates_group *group, uint32_t node);

/* The set of locks held (`held` of a node) as groups have it; and whether two sets keep apart. */
uint32_t candidates_lockset(struct candidates *c, uint32_t held);
bool candidates_exclude(const struct candidates *c, uint32_t a, uint32_t b);

/* Is it an access of the program itself, one that writes, one that is atomic? */
bool race_candidates_is_access(const struct window_node *node);
bool race_candidates_is_write(uint8_t kind);
bool race_candidates_is_atomic(uint8_t kind);

/* Fills `pools`. Pools whose key is known are `found` and have no pairs. */
void candidates_pool(struct candidates *c);

/* Each candidate, once. */
void candidates_each(struct candidates *c, void (*take)(void *context, struct race_candidates pair),
		     void *context);

#endif
