/*
 * The fast path of the merge: a block of cuts at once (level_merge_block() in level_cursor.h).
 *
 * The keys of a block are an arithmetic progression: from cut to cut, the last-but-one field grows
 * by 1 and the last field shrinks by 1. level_merge_block() finds how long all contributing fields
 * keep that pattern, then writes the cuts in one tight loop.
 */
#include "monitor/lattice/level_cursor.h"

#include <string.h>

/* Setting up a block costs as much as merging this many cuts one by one. */
#define LEAST_BLOCK 3u

/* What one field contributes to the block's cuts `first` … `first + length - 1`. */
struct block_part {
	const void *payloads;
	const uint64_t *counts;
	const uint32_t *codes; /* code for the first cut; the next one is `direction` further */
	int direction;
	uint32_t field, first, length;
	uint32_t limbs; /* number of limbs of each count */
};

/* Cut number j of the block has the key low + j * delta. */
struct cut_block {
	const struct level_merge *merge;
	struct level_worker *worker;
	uint64_t low, delta;
	uint32_t length;
	/* the last two fields: along the block, `up` grows by 1 and `down` shrinks by 1 */
	uint32_t up, down;
	uint32_t fall; /* how often `down` can shrink */
	/* fields that stay constant come first in `parts` */
	uint32_t constant_count, count;
	struct block_part parts[32];
};

/* ---- the length of a block ------------------------------------------------------------------- */

/*
 * Returns how many cuts from the cursor on are in the block's progression, at most `length`.
 * Checking the last one is enough: a level has no other cut between two members, because the last
 * two columns have a fixed sum there.
 */
static uint32_t progression_length(const struct cut_block *block, const struct level_cursor *cursor,
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
 * Returns how many cuts of the progression the field's event may follow, at most `length`. (If the
 * field itself changes along the block, each cut has another event of its column.) Needs grow along
 * a column, and the first cut is known to meet them.
 * - A field that stays constant: one column grows, the other shrinks, so if the last cut meets the
 *   needs, all cuts between do.
 * - The field that grows: the needs of its last event are the largest.
 * - The field that shrinks: its first event needs most, and the other columns only grow.
 */
static uint32_t count_allowed_cuts(const struct cut_block *block, uint32_t number, uint32_t length)
{
	const struct level_layout *layout = block->merge->layout;
	const struct level_field *field = &layout->fields[number];
	const struct level_cursor *cursor = &block->worker->cursors[number];
	const uint64_t *keys = &cursor->keys[cursor->at];
	int direction = number < block->up ? 0 : number == block->up ? 1 : -1;

	length = progression_length(block, cursor, length);
	if (field->guarded) {
		for (uint32_t j = 0; j < length; j++) {
			if (field->guarded[cursor->beyond + direction * (int)j])
				length = j;
		}
	}
	while (length > 1 && direction >= 0) {
		uint64_t need = field->needs[cursor->beyond + direction * (length - 1)];

		if (level_meets(&keys[length - 1], &need, layout->guards, 1))
			break;
		length /= 2;
	}
	return length;
}

static void add_part(struct cut_block *block, uint32_t number, uint32_t first)
{
	block->parts[block->count].field = number;
	block->parts[block->count++].first = first;
}

/*
 * Finds the fields that contribute from the start of the block. Returns the least head of the
 * others.
 */
static uint64_t find_parts(struct cut_block *block)
{
	const uint64_t *heads = block->worker->heads;
	uint64_t other = UINT64_MAX, up = heads[block->up], down = heads[block->down];

	block->count = 0;
	for (uint32_t t = 0; t < block->up; t++) {
		if (heads[t] == block->low)
			add_part(block, t, 0);
		else if (heads[t] < other)
			other = heads[t];
	}
	block->constant_count = block->count;
	/* The field that grows has no event to contribute to the first cut of a progression. */
	if (up == block->low)
		add_part(block, block->up, 0);
	else if (block->constant_count && up == block->low + block->delta)
		add_part(block, block->up, 1);
	else if (up < other)
		other = up;
	if (down == block->low)
		add_part(block, block->down, 0);
	else if (down < other)
		other = down;
	return other;
}

/*
 * Starts with the greatest possible length and shortens the block to what all parts can contribute.
 * Sets the length of each part.
 */
static void find_length(struct cut_block *block, uint64_t limit)
{
	uint32_t length = block->length;

	if (block->low + (length - 1) * block->delta >= limit)
		length = (limit - 1 - block->low) / block->delta + 1;
	for (uint32_t i = 0; i < block->count && length >= LEAST_BLOCK; i++) {
		struct block_part *part = &block->parts[i];
		bool falls = part->field == block->down;
		uint32_t most = length - part->first;

		if (falls && most > block->fall)
			most = block->fall;
		part->length = count_allowed_cuts(block, part->field, most);
		/* The field that shrinks may reach 0 before the last cut. */
		if (part->first + part->length < length &&
		    !(falls && block->constant_count && part->length == block->fall))
			length = part->first + part->length;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		if (block->parts[i].length > length - block->parts[i].first)
			block->parts[i].length = length - block->parts[i].first;
	}
	block->length = length;
}

/* ---- writing a block ------------------------------------------------------------------------- */

static void locate_part_inputs(struct cut_block *block)
{
	uint32_t size = block->merge->to.payload;

	for (uint32_t i = 0; i < block->count; i++) {
		struct block_part *part = &block->parts[i];
		const struct level_cursor *cursor = &block->worker->cursors[part->field];

		part->payloads = (const uint8_t *)cursor->payloads + (size_t)cursor->at * size;
		part->limbs = block->merge->from->shape.limbs;
		part->counts = cursor->counts + (size_t)cursor->at * part->limbs;
		part->codes = &block->merge->layout->fields[part->field].codes[cursor->beyond];
		part->direction = part->field < block->up ? 0 : part->field == block->up ? 1 : -1;
	}
}

/* If a step of the block reached a bad state, repeats it alone, to record the violation. */
static uint64_t record_bad_step(const struct cut_block *block, const struct block_part *part,
				uint32_t at, uint64_t payload)
{
	struct level_cursor cursor = block->worker->cursors[part->field];

	cursor.at += at;
	cursor.beyond += part->direction * (int)at;
	return level_record_bad(block->merge, block->worker,
				&block->merge->layout->fields[part->field], &cursor, payload);
}

ALWAYS_INLINE uint64_t step_and_unite(const struct cut_block *block, const struct block_part *part,
				      uint32_t at, uint32_t code, uint64_t payload,
				      const enum state_sets_kind kind)
{
	uint64_t to =
		level_step_payload(block->merge, block->worker, part->payloads, at, code, kind);

	if (__builtin_expect((to & block->merge->sets->bad) != 0, 0))
		to = record_bad_step(block, part, at, to);
	return level_unite_payloads(block->merge, block->worker, payload, to, kind);
}

ALWAYS_INLINE void add_count(uint64_t *sum, const uint32_t limbs, const struct block_part *part,
			     uint32_t at)
{
	if (limbs == 1)
		*sum += part->counts[at];
	else if (limbs)
		level_add_count(sum, limbs, &part->counts[(size_t)at * part->limbs], part->limbs);
}

/*
 * Writes cut by cut, and for each cut all parts. Writing part by part is less work, but the loops
 * would be as long as the block, so their ends would be mispredicted.
 */
ALWAYS_INLINE void write_cuts(const struct cut_block *block, const struct level_chunk *chunk,
			      const enum state_sets_kind kind, const uint32_t limbs)
{
	uint32_t length = block->length, constant_count = block->constant_count,
		 count = block->count;
	uint64_t *keys = &chunk->keys[chunk->count], key = block->low, top = 0;
	uint64_t *runs = &chunk->counts[(size_t)chunk->count * limbs];

	for (uint32_t j = 0; j < length; j++, key += block->delta) {
		uint64_t payload = 0;
		uint32_t i = 0;

		keys[j] = key;
		for (uint32_t l = 0; l < limbs; l++)
			runs[l] = 0;
		for (; i < constant_count; i++) {
			const struct block_part *part = &block->parts[i];

			payload = step_and_unite(block, part, j, *part->codes, payload, kind);
			add_count(runs, limbs, part, j);
		}
		for (; i < count; i++) {
			const struct block_part *part = &block->parts[i];
			uint32_t at = j - part->first;

			if (at >= part->length)
				continue;
			payload = step_and_unite(block, part, at,
						 part->codes[part->direction * (int)at], payload,
						 kind);
			add_count(runs, limbs, part, at);
		}
		level_store_payload(chunk, chunk->count + j, payload, kind);
		if (limbs)
			top |= runs[limbs - 1];
		runs += limbs;
	}
	block->worker->top |= top;
}

/* Calls write_cuts() with constants for the common cases, so that it is inlined for each. */
static void write_block(const struct cut_block *block, const struct level_chunk *chunk)
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
	const struct level_field *up = &layout->fields[layout->field_count - 2], *down = up + 1;
	struct cut_block block; /* not initialised: clearing `parts` would cost time */
	uint64_t other;

	block.fall = low >> down->shift & down->mask;
	block.length = up->reach - (uint32_t)(low >> up->shift & up->mask) + 1;
	if (block.length > block.fall + 1)
		block.length = block.fall + 1;
	if (block.length > chunk->room - chunk->count)
		block.length = chunk->room - chunk->count;
	if (block.length < LEAST_BLOCK)
		return 0;
	block.merge = merge;
	block.worker = worker;
	block.low = low;
	block.delta = up->step - down->step;
	block.up = layout->field_count - 2;
	block.down = layout->field_count - 1;
	other = find_parts(&block);
	other = other < high ? other : high;
	if (low + (LEAST_BLOCK - 1) * block.delta >= other)
		return 0;
	find_length(&block, other);
	if (block.length < LEAST_BLOCK)
		return 0;
	locate_part_inputs(&block);
	write_block(&block, chunk);
	*moved = 0;
	for (uint32_t i = 0; i < block.count; i++) {
		const struct block_part *part = &block.parts[i];

		worker->cursors[part->field].at += part->length;
		*moved |= 1ull << part->field;
	}
	return block.length;
}
