/*
 * Which accesses may tear a region apart: candidates for the solver.
 *
 * A tear is l1 r1 (r2) l2: l1 and l2 in one part of a region, r1 and r2 (or one event that is both)
 * in another thread, with conflicts l1-r1 and r2-l2. For a given r1, r2 and l2 the earliest l1 asks
 * for least. Of each region's place in the code and the place of r2 the best are kept in a pool:
 * those that the recorded run has first, then those with one variable, then the nearest.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_TEARS_H
#define PREDICT_ATOMICITY_ATOMICITY_TEARS_H

#include "predict/atomicity/atomicity_parts.h"
#include "predict/race/race_candidates.h"

struct tear {
	uint32_t l1, r1, r2, l2; /* nodes */
	uint32_t part;
};

struct tear_pool {
	struct site_group pool;
	VEC(struct tear) kept; /* the best first */
};

/* An access of another thread near a part, for tears of several variables. */
struct tear_touch {
	uint32_t part, thread, node, cell;
};

struct tears {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct candidates candidates;
	struct parts parts;
	struct map guarded; /* cell and lock: 1 not, 2 by that lock */
	VEC(struct tear_pool) pools;
	struct map pool_numbers;
	VEC(struct tear_touch) touches;
	uint64_t steps; /* taken so far */
	bool cut;	/* there were too many: some were not looked at */
};

/*
 * For leads, where analysis->before is the analysis of the window as it is, cells and what is in
 * them are that one's.
 */
void tears_open(struct tears *tears, const struct analysis *analysis,
		const struct parts_wanted *wanted);
void tears_close(struct tears *tears);

/* Fills `pools`. Pools whose key is known are `found` and keep nothing. */
void tears_pool(struct tears *tears);

/* Each tear, once for each part; so many at most. */
void tears_each(struct tears *tears, void (*take)(void *context, const struct tear *tear),
		void *context, uint64_t most);

#endif
