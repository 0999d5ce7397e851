/*
 * Candidates for races: pairs of accesses that may race. The solver decides which are possible.
 *
 * Pairs are listed cell by cell. Two conflicting accesses of different threads are a candidate if
 * neither must be inside for the other to be next (must_precede.h), and if they hold no common lock
 * that only one thread can have. (A thread that is next at an access holds the same locks as when
 * the access was recorded.)
 */
#ifndef PREDICT_RACE_RACE_CANDIDATES_H
#define PREDICT_RACE_RACE_CANDIDATES_H

#include "base/map.h"
#include "predict/driver/analysis.h"
#include "predict/driver/must_precede.h"
#include "predict/driver/site_group.h"

struct race_pair {
	uint32_t a, b; /* nodes; a was recorded before b */
	bool benign;   /* race_pair_is_benign() */
};

/*
 * Does a write of the pair store, in the recorded run, the value that is there already, so that the
 * other access does not depend on the order? race_benign.c
 */
bool race_pair_is_benign(const struct window *window, uint32_t a, uint32_t b);

/* Accesses to a cell by one thread at one site under the same locks. */
struct access_group {
	const uint32_t *nodes;
	uint32_t count;
	uint32_t thread, locks;
	uint8_t kind;
	uint64_t site; /* hash of site and kind */
};

/* A set of locks as a list: the set `rest` and one more lock. */
struct race_lockset {
	uint32_t rest; /* ORDER_NONE: the empty set */
	uint64_t address;
	bool shared;
};

struct race_candidates {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct must_precede must_precede;  /* valid after race_candidates_make_must_precede() */
	uint32_t *cell_start, *cell_nodes; /* by cell: its accesses, in recorded order */
	/* by position in the window's `held`: position in locksets; ORDER_NONE: not computed */
	uint32_t *locks_of;
	VEC(struct race_lockset) locksets;
	struct map lockset_numbers;
	VEC(struct access_group) groups; /* of the present cell */
	struct site_groups by_sites;	 /* of struct race_pair, benign ones last */
};

void race_candidates_open(struct race_candidates *c, const struct analysis *analysis);
void race_candidates_close(struct race_candidates *c);

/* Computes `must_precede`, unless that was done before. */
void race_candidates_make_must_precede(struct race_candidates *c);

/*
 * Sets `groups` to the accesses of a cell. Their nodes are valid until the next call for that cell.
 */
void race_candidates_group_cell(struct race_candidates *c, uint32_t cell);

/* The position of the first node in the group that was recorded at or after `node`. */
uint32_t access_group_first_after(const struct access_group *group, uint32_t node);

/*
 * race_candidates_lockset(): the number of the set of locks in a chain (`held` of a node), as in
 * access_group.locks. race_candidates_locks_exclude(): do two sets have a lock in common that only
 * one thread can have?
 */
uint32_t race_candidates_lockset(struct race_candidates *c, uint32_t held);
bool race_candidates_locks_exclude(const struct race_candidates *c, uint32_t a, uint32_t b);

/* Is it an access by the program itself? Does an access of this kind write? Is it atomic? */
bool race_is_access(const struct window_node *node);
bool race_is_write(uint8_t kind);
bool race_is_atomic(uint8_t kind);

/*
 * Fills `by_sites` with candidates. Groups that have a finding already keep no pairs. A pair that
 * meets in several cells may count more than once in its group's total.
 */
void race_candidates_collect(struct race_candidates *c);

/* Calls `take` once for each candidate. */
void race_candidates_each(struct race_candidates *c,
			  void (*take)(void *context, struct race_pair pair), void *context);

#endif
