/*
 * Makes the next level from a level. The successors by one column are the level's cuts, in the same
 * order, plus a constant. So merging one sequence for each column yields all successors in order.
 * Equal keys are one cut: their payloads are united and their counts added. This needs no hash
 * table and no sorting, and it only moves forward through memory.
 */
#ifndef MONITOR_LATTICE_LEVEL_MERGE_H
#define MONITOR_LATTICE_LEVEL_MERGE_H

#include "base/map.h"
#include "monitor/lattice/level_key.h"
#include "monitor/lattice/state_sets.h"

/* A machine became bad in a step: the event of `column` at `position`, after a cut. */
struct level_violation {
	uint32_t machine, column, position;
	size_t key; /* index of the cut's key in the worker's `keys` */
};

/* What a thread needs for merging, kept for all levels of a walk. */
struct level_worker {
	struct state_sets_cache cache;
	struct map seen; /* (event, machine) pairs already in `found` of this or an earlier level */
	VEC(struct level_violation) found;
	VEC(uint64_t) keys;
	machine_states states;
	/* for the current range: */
	VEC(struct level_chunk *) chunks;
	uint64_t count;
	uint64_t top; /* bitwise or of the highest limbs of all counts */
	struct level_cursor *cursors;
	uint64_t *heads;
	size_t released, room;
};

struct level_merge {
	const struct lattice_order *order;
	const struct level_layout *layout;
	struct state_sets *sets;
	struct level_pool *pool;
	struct level *from;
	struct level_shape to; /* shape of the next level */
	bool find;	       /* record violations */
	uint32_t only;	       /* if not UINT32_MAX: record only violations by this column */
};

void level_worker_init(struct level_worker *worker);
void level_worker_free(struct level_worker *worker);

/*
 * Appends to worker->chunks the cuts of the next level with keys from `low` up to but excluding
 * `high` (NULL: no bound). Every range must read each chunk of merge->from; the last one returns it
 * to the pool.
 */
void level_merge_range(const struct level_merge *merge, struct level_worker *worker,
		       const uint64_t *low, const uint64_t *high);

/* Adds a count to a sum of `room` limbs, which must be enough. */
void level_add_count(uint64_t *sum, uint32_t room, const uint64_t *count, uint32_t limbs);

#endif
