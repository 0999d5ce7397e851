/*
 * Internals of the merge that level_merge.c (one cut at a time) and level_block.c (blocks of cuts)
 * share.
 */
#ifndef MONITOR_LATTICE_LEVEL_CURSOR_H
#define MONITOR_LATTICE_LEVEL_CURSOR_H

#include "monitor/lattice/level_merge.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The cursor of one column: points to the cut whose successor by this column comes next. */
struct level_cursor {
	const uint64_t *keys;
	const void *payloads;
	const uint64_t *counts;
	uint32_t at, count;
	uint32_t beyond; /* number of the column's events in that cut beyond the base */
	size_t chunk;
};

/*
 * Handles a step whose payload has a bad state: records the violation and returns the payload
 * without its bad states.
 */
uint64_t level_record_bad(const struct level_merge *merge, struct level_worker *worker,
			  const struct level_field *field, const struct level_cursor *cursor,
			  uint64_t payload);

/*
 * Merges many cuts at once. Cuts of a level that differ only in the last two columns are adjacent,
 * and the key of each is the previous key plus a constant. The same holds for their successors by
 * every column. So if two sequences have the first of these successors in common, they have all of
 * them in common.
 *
 * `low` is the least head. Writes the block after the chunk's cuts, advances the cursors of the
 * fields in `moved` (one bit each) and returns the number of cuts, or 0 if a block would be too
 * short to be worth it. Only for keys of one word.
 */
uint32_t level_merge_block(const struct level_merge *merge, struct level_worker *worker,
			   const struct level_chunk *chunk, uint64_t low, uint64_t high,
			   uint64_t *moved);

/* Returns the payload after the step from cut `at`. `kind` must be a constant. */
ALWAYS_INLINE uint64_t level_step_payload(const struct level_merge *merge,
					  struct level_worker *worker, const void *payloads,
					  uint32_t at, uint32_t code,
					  const enum state_sets_kind kind)
{
	switch (kind) {
	case STATE_SETS_BYTE:
		return state_sets_step_byte(merge->sets, ((const uint8_t *)payloads)[at], code);
	case STATE_SETS_WORD:
		return state_sets_step_word(merge->sets, ((const uint64_t *)payloads)[at], code);
	default:
		return state_sets_step_shared(merge->sets, &worker->cache,
					      ((const uint32_t *)payloads)[at], code);
	}
}

ALWAYS_INLINE uint64_t level_unite_payloads(const struct level_merge *merge,
					    struct level_worker *worker, uint64_t a, uint64_t b,
					    const enum state_sets_kind kind)
{
	return kind == STATE_SETS_SHARED
		       ? state_sets_union_shared(merge->sets, &worker->cache, a, b)
		       : a | b;
}

ALWAYS_INLINE void level_store_payload(const struct level_chunk *chunk, uint32_t at,
				       uint64_t payload, const enum state_sets_kind kind)
{
	switch (kind) {
	case STATE_SETS_BYTE: ((uint8_t *)chunk->payloads)[at] = payload; break;
	case STATE_SETS_WORD: ((uint64_t *)chunk->payloads)[at] = payload; break;
	default: ((uint32_t *)chunk->payloads)[at] = payload;
	}
}

#endif
