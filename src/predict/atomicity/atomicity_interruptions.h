/*
 * Candidates for interruptions of a region by another thread. The solver decides which are
 * possible.
 *
 * An interruption is l1 r1 (r2) l2: l1 and l2 are in one fragment of a region; r1 and r2, or one
 * event that is both, are in another thread; l1 conflicts with r1, and r2 with l2. For given r1, r2
 * and l2, the earliest l1 demands the least of a schedule. For each pair of the site where a region
 * begins and the site of r2, the best candidates are kept: first those that the recorded run shows,
 * then those with one variable, then the nearest.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_INTERRUPTIONS_H
#define PREDICT_ATOMICITY_ATOMICITY_INTERRUPTIONS_H

#include "predict/atomicity/atomicity_fragments.h"
#include "predict/race/race_candidates.h"

struct interruption {
	uint32_t l1, r1, r2, l2; /* nodes */
	uint32_t fragment;
};

/* An access by another thread near a fragment, for interruptions with several variables. */
struct remote_touch {
	uint32_t fragment, thread, node, cell;
};

struct interruptions {
	const struct analysis *analysis;
	const struct window *window;
	const struct order_model *model;
	struct race_candidates candidates;
	struct fragments fragments;
	struct map guarded; /* hash of cell and lock: 1 not guarded by the lock, 2 guarded */
	struct site_groups by_sites; /* of struct interruption */
	VEC(struct remote_touch) touches;
	uint64_t steps; /* accesses examined so far */
	bool cut;	/* some candidates were not examined: too many steps, or enough calls */
};

static inline const struct window_node *interruptions_node(const struct interruptions *t,
							   uint32_t node)
{
	return &t->window->nodes.items[node];
}

static inline uint32_t interruptions_thread(const struct interruptions *t, uint32_t node)
{
	return t->model->thread.items[node];
}

/*
 * For leads, the cells and their contents come from analysis->before, the analysis of the original
 * window, because a relaxed window has none.
 */
void interruptions_open(struct interruptions *interruptions, const struct analysis *analysis,
			const struct fragments_wanted *wanted);
void interruptions_close(struct interruptions *interruptions);

/* Fills `by_sites`. Groups that have a finding already keep nothing. */
void interruptions_collect(struct interruptions *interruptions);

/*
 * Calls `take` for up to `most` interruptions. An interruption that belongs to several fragments is
 * passed once for each.
 */
void interruptions_each(struct interruptions *interruptions,
			void (*take)(void *context, const struct interruption *candidate),
			void *context, uint64_t most);

#endif
