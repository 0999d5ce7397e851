#include "monitor/lattice/level_cursor.h"

#include <string.h>

/* A block costs as much as this many cuts one by one. */
#define LEAST 3u

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What a lane gives: to the cuts from `first` on, `length` of them. */
struct level_block_part {
	const void *payloads;
	const uint64_t *counts;
	const uint32_t *codes; /* of the first; `turn` further for each that follows */
	int turn;
	uint32_t lane, first, length;
	uint32_t limbs; /* of its counts */
};

/* Cut number j of the block has the key low + j * delta. */
struct block {
	const struct level_merge *merge;
	struct level_worker *worker;
	uint64_t low, delta;
	uint32_t length;
	uint32_t up, down; /* the last two lanes: one goes up along the block, the other down */
	uint32_t fall;	   /* how far that can go down */
	/* lanes that stay where they are come first */
	uint32_t steadies, count;
	struct level_block_part parts[32];
};

/* ---- how far it goes ------------------------------------------------------------------------------- */

/*
 * So many cuts from the cursor on are in the same progression. It is enough to look at the last: in
 * a level nothing else lies between two members of it, as the last two columns have a fixed sum there.
 */
static uint32_t progression(const struct block *block, const struct level_cursor *cursor,
			    uint32_t length)
{
	const uint64_t *keys = &cursor->keys[cursor->at];

	if (length > cursor->count - cursor->at)
		length = cursor->count - cursor->at;
	while (length > 1 && keys[length - 1] != keys[0] + (length - 1) * block->delta)
		length /= 2;
	return length;
}

/*
 * How far the lane's event, or its events one after the other, may follow. Needs grow along a column, and
 * the first cut is known to meet them. A lane that stays: one column grows, one falls, so they are met in
 * between if they are in the last. The one that goes up: what its last event needs the others do not
 * exceed. The one that goes down: its first event needs most, and columns beside only grow.
 */
static uint32_t reach(const struct block *block, uint32_t number, uint32_t length)
{
	const struct level_layout *layout = block->merge->layout;
	const struct level_lane *lane = &layout->lanes[number];
	const struct level_cursor *cursor = &block->worker->cursors[number];
	const uint64_t *keys = &cursor->keys[cursor->at];
	int turn = number < block->up ? 0 : number == block->up ? 1 : -1;

	length = progression(block, cursor, length);
	if (lane->guarded) {
		for (uint32_t j = 0; j < length; j++) {
			if (lane->guarded[cursor->beyond + turn * (int)j])
				length = j;
		}
	}
	while (length > 1 && turn >= 0) {
		uint64_t need = lane->needs[cursor->beyond + turn * (length - 1)];

		if ((((keys[length - 1] | layout->guards[0]) - need) & layout->guards[0]) ==
		    layout->guards[0])
			break;
		length /= 2;
	}
	return length;
}

static void take_part(struct block *block, uint32_t number, uint32_t first)
{
	block->parts[block->count].lane = number;
	block->parts[block->count++].first = first;
}

/* Who takes part from the start, and where the first head of another stream is. */
static uint64_t gather(struct block *block)
{
	const uint64_t *heads = block->worker->heads;
	uint64_t other = UINT64_MAX, up = heads[block->up], down = heads[block->down];

	block->count = 0;
	for (uint32_t t = 0; t < block->up; t++) {
		if (heads[t] == block->low)
			take_part(block, t, 0);
		else if (heads[t] < other)
			other = heads[t];
	}
	block->steadies = block->count;
	/* the lane that goes up has no event to give to the first cut of a stretch */
	if (up == block->low)
		take_part(block, block->up, 0);
	else if (block->steadies && up == block->low + block->delta)
		take_part(block, block->up, 1);
	else if (up < other)
		other = up;
	if (down == block->low)
		take_part(block, block->down, 0);
	else if (down < other)
		other = down;
	return other;
}

/* The length, at first as large as can be, and that of each part. */
static void find_length(struct block *block, uint64_t limit)
{
	uint32_t length = block->length;

	if (block->low + (length - 1) * block->delta >= limit)
		length = (limit - 1 - block->low) / block->delta + 1;
	for (uint32_t i = 0; i < block->count && length >= LEAST; i++) {
		struct level_block_part *part = &block->parts[i];
		bool falls = part->lane == block->down;
		uint32_t most = length - part->first;

		if (falls && most > block->fall)
			most = block->fall;
		part->length = reach(block, part->lane, most);
		/* the one that goes down may have come to nothing before the last */
		if (part->first + part->length < length &&
		    !(falls && block->steadies && part->length == block->fall))
			length = part->first + part->length;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		if (block->parts[i].length > length - block->parts[i].first)
			block->parts[i].length = length - block->parts[i].first;
	}
	block->length = length;
}

/* ---- what is written ------------------------------------------------------------------------------- */

static void open_parts(struct block *block)
{
	uint32_t size = block->merge->to.payload;

	for (uint32_t i = 0; i < block->count; i++) {
		struct level_block_part *part = &block->parts[i];
		const struct level_cursor *cursor = &block->worker->cursors[part->lane];

		part->payloads = (const uint8_t *)cursor->payloads + (size_t)cursor->at * size;
		part->limbs = block->merge->from->shape.limbs;
		part->counts = cursor->counts + (size_t)cursor->at * part->limbs;
		part->codes = &block->merge->layout->lanes[part->lane].codes[cursor->beyond];
		part->turn = part->lane < block->up ? 0 : part->lane == block->up ? 1 : -1;
	}
}

/* A bad state turned up: one by one again, to say where. */
static uint64_t tell_bad(const struct block *block, const struct level_block_part *part,
			 uint32_t at, uint64_t payload)
{
	struct level_cursor cursor = block->worker->cursors[part->lane];

	cursor.at += at;
	cursor.beyond += part->turn * (int)at;
	return level_take_bad(block->merge, block->worker, &block->merge->layout->lanes[part->lane],
			      &cursor, payload);
}

ALWAYS_INLINE uint64_t join(const struct block *block, const struct level_block_part *part,
			    uint32_t at, uint32_t code, uint64_t payload,
			    const enum state_sets_kind kind)
{
	struct state_sets *sets = block->merge->sets;
	struct state_sets_memory *memory = &block->worker->memory;
	uint64_t to;

	switch (kind) {
	case STATE_SETS_BYTE:
		to = state_sets_step_byte(sets, ((const uint8_t *)part->payloads)[at], code);
		break;
	case STATE_SETS_WORD:
		to = state_sets_step_word(sets, ((const uint64_t *)part->payloads)[at], code);
		break;
	default:
		to = state_sets_step_shared(sets, memory, ((const uint32_t *)part->payloads)[at],
					    code);
	}
	if (__builtin_expect((to & sets->bad) != 0, 0))
		to = tell_bad(block, part, at, to);
	return kind == STATE_SETS_SHARED ? state_sets_union_shared(sets, memory, payload, to)
					 : payload | to;
}

ALWAYS_INLINE void add_count(uint64_t *sum, const uint32_t limbs,
			     const struct level_block_part *part, uint32_t at)
{
	if (limbs == 1)
		*sum += part->counts[at];
	else if (limbs)
		level_add_count(sum, limbs, &part->counts[(size_t)at * part->limbs], part->limbs);
}

/*
 * Cut by cut, and for each all parts: the other way round is less work, but its loops are as long as the
 * block, which no processor foresees.
 */
ALWAYS_INLINE void write_cuts(const struct block *block, const struct level_chunk *chunk,
			      const enum state_sets_kind kind, const uint32_t limbs)
{
	uint32_t length = block->length, steadies = block->steadies, count = block->count;
	uint64_t *keys = &chunk->keys[chunk->count], key = block->low, top = 0;
	uint64_t *runs = &chunk->counts[(size_t)chunk->count * limbs];

	for (uint32_t j = 0; j < length; j++, key += block->delta) {
		uint64_t payload = 0;
		uint32_t place = chunk->count + j, i = 0;

		keys[j] = key;
		for (uint32_t l = 0; l < limbs; l++)
			runs[l] = 0;
		for (; i < steadies; i++) {
			const struct level_block_part *part = &block->parts[i];

			payload = join(block, part, j, *part->codes, payload, kind);
			add_count(runs, limbs, part, j);
		}
		for (; i < count; i++) {
			const struct level_block_part *part = &block->parts[i];
			uint32_t at = j - part->first;

			if (at >= part->length)
				continue;
			payload = join(block, part, at, part->codes[part->turn * (int)at], payload,
				       kind);
			add_count(runs, limbs, part, at);
		}
		switch (kind) {
		case STATE_SETS_BYTE: ((uint8_t *)chunk->payloads)[place] = payload; break;
		case STATE_SETS_WORD: ((uint64_t *)chunk->payloads)[place] = payload; break;
		default: ((uint32_t *)chunk->payloads)[place] = payload;
		}
		if (limbs)
			top |= runs[limbs - 1];
		runs += limbs;
	}
	block->worker->top |= top;
}

/* Copies for what is common; the others ask. */
static void write_block(const struct block *block, const struct level_chunk *chunk)
{
	uint32_t limbs = block->merge->to.limbs;

	switch (block->merge->sets->kind) {
	case STATE_SETS_BYTE:
		if (!limbs)
			write_cuts(block, chunk, STATE_SETS_BYTE, 0);
		else if (limbs == 1)
			write_cuts(block, chunk, STATE_SETS_BYTE, 1);
		else
			write_cuts(block, chunk, STATE_SETS_BYTE, limbs);
		break;
	case STATE_SETS_WORD: write_cuts(block, chunk, STATE_SETS_WORD, limbs); break;
	case STATE_SETS_SHARED: write_cuts(block, chunk, STATE_SETS_SHARED, limbs); break;
	}
}

uint32_t level_merge_block(const struct level_merge *merge, struct level_worker *worker,
			   const struct level_chunk *chunk, uint64_t low, uint64_t high,
			   uint64_t *moved)
{
	const struct level_layout *layout = merge->layout;
	const struct level_lane *up = &layout->lanes[layout->lane_count - 2], *down = up + 1;
	struct block block; /* its parts are not worth clearing */
	uint64_t other;

	block.fall = low >> down->shift & down->mask;
	block.length = up->reach - (uint32_t)(low >> up->shift & up->mask) + 1;
	if (block.length > block.fall + 1)
		block.length = block.fall + 1;
	if (block.length > chunk->room - chunk->count)
		block.length = chunk->room - chunk->count;
	if (block.length < LEAST)
		return 0;
	block.merge = merge;
	block.worker = worker;
	block.low = low;
	block.delta = up->step - down->step;
	block.up = layout->lane_count - 2;
	block.down = layout->lane_count - 1;
	other = gather(&block);
	other = other < high ? other : high;
	if (low + (LEAST - 1) * block.delta >= other)
		return 0;
	find_length(&block, other);
	if (block.length < LEAST)
		return 0;
	open_parts(&block);
	write_block(&block, chunk);
	*moved = 0;
	for (uint32_t i = 0; i < block.count; i++) {
		const struct level_block_part *part = &block.parts[i];

		worker->cursors[part->lane].at += part->length;
		*moved |= 1ull << part->lane;
	}
	return block.length;
}
