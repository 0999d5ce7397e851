/*
 * The next level out of a level. Its cuts by one column are the level's, in the same order, plus a
 * constant; so all of them come in order by merging one stream for each column, and what meets there
 * is one cut: payloads are united, counts added. No hash, no sort, memory only forwards.
 */
#ifndef MONITOR_LATTICE_LEVEL_MERGE_H
#define MONITOR_LATTICE_LEVEL_MERGE_H

#include "base/map.h"
#include "monitor/lattice/level_key.h"
#include "monitor/lattice/state_sets.h"

/* A machine became bad in the step of a column from a cut. */
struct level_found {
	uint32_t machine, column, position;
	size_t key; /* of the cut: place in the worker's `keys` */
};

/* What a thread needs to merge; for all levels of a walk. */
struct level_worker {
	struct state_sets_memory memory;
	struct map seen; /* events at which a machine was found bad: each is told once */
	VEC(struct level_found) found;
	VEC(uint64_t) keys;
	machine_states states;
	/* of one range */
	VEC(struct level_chunk *) chunks;
	uint64_t count;
	uint64_t top; /* highest limbs, or'ed */
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
	struct level_shape to; /* of the next level */
	bool find;	       /* bad states are told */
	uint32_t only;	       /* if not UINT32_MAX: those of this column only */
};

void level_worker_init(struct level_worker *worker);
void level_worker_free(struct level_worker *worker);

/*
 * The cuts of the next level with keys from `low` up to but without `high` (NULL: no bound), as
 * worker->chunks. Each chunk of merge->from must be read by all ranges; the last gives it back.
 */
void level_merge_range(const struct level_merge *merge, struct level_worker *worker,
		       const uint64_t *low, const uint64_t *high);

/* Adds a count to a sum of `room` limbs, which must be enough. */
void level_add_count(uint64_t *sum, uint32_t room, const uint64_t *count, uint32_t limbs);

#endif
