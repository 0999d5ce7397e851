/* Inside of the merge: level_merge.c goes cut by cut, level_block.c takes stretches of them. */
#ifndef MONITOR_LATTICE_LEVEL_CURSOR_H
#define MONITOR_LATTICE_LEVEL_CURSOR_H

#include "monitor/lattice/level_merge.h"

/* Where a column's stream is: the cut whose successor comes next. */
struct level_cursor {
	const uint64_t *keys;
	const void *payloads;
	const uint64_t *counts;
	uint32_t at, count;
	uint32_t beyond; /* of its lane, in that cut */
	size_t chunk;
};

/* A step's payload has a bad state: notes it, and gives the payload without. */
uint64_t level_take_bad(const struct level_merge *merge, struct level_worker *worker,
			const struct level_lane *lane, const struct level_cursor *cursor,
			uint64_t payload);

/*
 * Many cuts at once. A level's cuts that differ in the last two columns only stand side by side, each the
 * one before plus a constant; so do their successors by every column, and streams that meet in the first
 * of them meet in all. `low` is the least head. Writes the stretch behind the chunk's cuts, moves the
 * cursors of the lanes in `moved` (a bit each) and says how many cuts there are; 0: too few to bother.
 * Only for keys of one word.
 */
uint32_t level_merge_block(const struct level_merge *merge, struct level_worker *worker,
			   const struct level_chunk *chunk, uint64_t low, uint64_t high,
			   uint64_t *moved);

#endif
