#include "monitor/lattice/level_cursor.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* No key looks like this: guard bits are never set in one. */
#define OVER UINT64_MAX

#define ALWAYS_INLINE static inline __attribute__((always_inline))

void level_worker_init(struct level_worker *worker)
{
	*worker = (struct level_worker){ 0 };
	state_sets_memory_init(&worker->memory);
}

void level_worker_free(struct level_worker *worker)
{
	state_sets_memory_free(&worker->memory);
	map_free(&worker->seen);
	vec_free(&worker->found);
	vec_free(&worker->keys);
	vec_free(&worker->states);
	vec_free(&worker->chunks);
	free(worker->cursors);
	free(worker->heads);
}

/* ---- chunks that are read -------------------------------------------------------------------------- */

/* Chunks below `until` are read no more by this range. */
static void release(const struct level_merge *merge, struct level_worker *worker, size_t until)
{
	for (; worker->released < until; worker->released++) {
		struct level_chunk **chunk = &merge->from->chunks.items[worker->released];

		if (atomic_fetch_sub(&(*chunk)->readers, 1) > 1)
			continue;
		level_give_chunk(merge->pool, *chunk);
		*chunk = NULL;
	}
}

static bool open_chunk(const struct level_merge *merge, struct level_cursor *cursor)
{
	const struct level_chunk *chunk;

	if (cursor->chunk >= merge->from->chunks.count) {
		cursor->count = cursor->at = 0;
		return false;
	}
	chunk = merge->from->chunks.items[cursor->chunk];
	cursor->keys = chunk->keys;
	cursor->payloads = chunk->payloads;
	cursor->counts = chunk->counts;
	cursor->count = chunk->count;
	cursor->at = 0;
	return true;
}

static __attribute__((noinline)) bool next_chunk(const struct level_merge *merge,
						 struct level_worker *worker,
						 struct level_cursor *cursor)
{
	size_t least;

	if (cursor->chunk >= merge->from->chunks.count)
		return false;
	cursor->chunk++;
	least = cursor->chunk;
	for (uint32_t i = 0; i < merge->layout->lane_count; i++) {
		if (worker->cursors[i].chunk < least)
			least = worker->cursors[i].chunk;
	}
	release(merge, worker, least);
	return open_chunk(merge, cursor);
}

/* Is the successor of the key by the lane below `low`? */
static bool is_below(const struct level_lane *lane, const uint64_t *key, const uint64_t *low,
		     uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		uint64_t word = key[w] + (w == lane->word ? lane->step : 0);

		if (word != low[w])
			return word < low[w];
	}
	return false;
}

/* Puts the cursor on the first cut whose successor is not below `low`. */
static void seek(const struct level_merge *merge, struct level_cursor *cursor,
		 const struct level_lane *lane, const uint64_t *low)
{
	const struct level *from = merge->from;
	uint32_t words = merge->layout->words, end;

	*cursor = (struct level_cursor){ 0 };
	while (low && cursor->chunk < from->chunks.count) {
		const struct level_chunk *chunk = from->chunks.items[cursor->chunk];

		if (!is_below(lane, &chunk->keys[(size_t)(chunk->count - 1) * words], low, words))
			break;
		cursor->chunk++;
	}
	if (!open_chunk(merge, cursor) || !low)
		return;
	end = cursor->count;
	while (cursor->at < end) {
		uint32_t middle = (cursor->at + end) / 2;

		if (is_below(lane, &cursor->keys[(size_t)middle * words], low, words))
			cursor->at = middle + 1;
		else
			end = middle;
	}
}

/* ---- violations ------------------------------------------------------------------------------------ */

/* Notes what became bad at the cursor's cut by the lane, if it is news. */
static void note_bad(const struct level_merge *merge, struct level_worker *worker,
		     const struct level_lane *lane, const struct level_cursor *cursor,
		     uint64_t payload)
{
	struct state_sets *sets = merge->sets;
	uint32_t position = lane->base + cursor->beyond, words = merge->layout->words;
	uint64_t event = merge->order->columns[lane->column].first + position;

	worker->states.count = 0;
	state_sets_list_states(sets, payload, &worker->states);
	if (sets->kind == STATE_SETS_SHARED)
		pthread_mutex_lock(&sets->lock);
	for (size_t i = 0; i < worker->states.count; i++) {
		const struct state_sets_state *state = &sets->states.items[worker->states.items[i]];
		bool fresh = false;

		if (state->bad)
			map_put(&worker->seen, event * sets->machine_count + state->machine,
				&fresh);
		if (!fresh)
			continue;
		*vec_push(&worker->found) = (struct level_found){ state->machine, lane->column,
								  position, worker->keys.count };
		memcpy(vec_reserve(&worker->keys, words), &cursor->keys[(size_t)cursor->at * words],
		       words * sizeof(uint64_t));
		worker->keys.count += words;
	}
	if (sets->kind == STATE_SETS_SHARED)
		pthread_mutex_unlock(&sets->lock);
}

uint64_t level_take_bad(const struct level_merge *merge, struct level_worker *worker,
			const struct level_lane *lane, const struct level_cursor *cursor,
			uint64_t payload)
{
	if (merge->find && (merge->only == UINT32_MAX || merge->only == lane->column))
		note_bad(merge, worker, lane, cursor, payload);
	return state_sets_clean(merge->sets, &worker->memory, payload);
}

/* ---- the merge ------------------------------------------------------------------------------------- */

/*
 * The functions below are compiled once for each kind of payload, for keys of one word and any number,
 * without counts, with small and with any: `words`, `kind` and `limbs` are constants in these copies.
 */
enum limbs { LIMBS_NONE, LIMBS_ONE, LIMBS_ANY };

ALWAYS_INLINE bool meets(const uint64_t *key, const uint64_t *need, const uint64_t *guards,
			 uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		if ((((key[w] | guards[w]) - need[w]) & guards[w]) != guards[w])
			return false;
	}
	return true;
}

/* On to the next cut that the lane's event may follow; its successor becomes the head. */
ALWAYS_INLINE void advance(const struct level_merge *merge, struct level_worker *worker,
			   uint32_t number, const uint32_t words)
{
	const struct level_layout *layout = merge->layout;
	const struct level_lane *lane = &layout->lanes[number];
	struct level_cursor *cursor = &worker->cursors[number];
	uint64_t *head = &worker->heads[(size_t)number * words];

	do {
		uint32_t at = cursor->at, count = cursor->count;

		for (; at < count; at++) {
			const uint64_t *key = &cursor->keys[(size_t)at * words];
			uint32_t word = words == 1 ? 0 : lane->word;
			uint32_t beyond = key[word] >> lane->shift & lane->mask;

			if (!meets(key, &lane->needs[(size_t)beyond * words], layout->guards,
				   words))
				continue;
			if (lane->guarded && lane->guarded[beyond] &&
			    level_is_blocked(merge->order, layout, key, lane, beyond))
				continue;
			for (uint32_t w = 0; w < words; w++)
				head[w] = key[w];
			head[word] += lane->step;
			cursor->beyond = beyond;
			cursor->at = at;
			return;
		}
	} while (next_chunk(merge, worker, cursor));
	head[0] = OVER;
}

ALWAYS_INLINE bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w + 1 < words; w++) {
		if (a[w] != b[w])
			return a[w] < b[w];
	}
	return a[words - 1] < b[words - 1];
}

ALWAYS_INLINE bool is_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		if (a[w] != b[w])
			return false;
	}
	return true;
}

ALWAYS_INLINE uint64_t step_payload(const struct level_merge *merge, struct level_worker *worker,
				    const struct level_cursor *cursor, uint32_t code,
				    const enum state_sets_kind kind)
{
	switch (kind) {
	case STATE_SETS_BYTE:
		return state_sets_step_byte(merge->sets,
					    ((const uint8_t *)cursor->payloads)[cursor->at], code);
	case STATE_SETS_WORD:
		return state_sets_step_word(merge->sets,
					    ((const uint64_t *)cursor->payloads)[cursor->at], code);
	default:
		return state_sets_step_shared(merge->sets, &worker->memory,
					      ((const uint32_t *)cursor->payloads)[cursor->at],
					      code);
	}
}

ALWAYS_INLINE void put_payload(struct level_chunk *chunk, uint32_t at, uint64_t payload,
			       const enum state_sets_kind kind)
{
	switch (kind) {
	case STATE_SETS_BYTE: ((uint8_t *)chunk->payloads)[at] = payload; break;
	case STATE_SETS_WORD: ((uint64_t *)chunk->payloads)[at] = payload; break;
	default: ((uint32_t *)chunk->payloads)[at] = payload;
	}
}

void level_add_count(uint64_t *sum, uint32_t room, const uint64_t *count, uint32_t limbs)
{
	unsigned char carry = 0;

	for (uint32_t i = 0; i < room && (i < limbs || carry); i++) {
		uint64_t more = i < limbs ? count[i] : 0, low;

		carry = __builtin_add_overflow(sum[i], carry, &low);
		carry |= __builtin_add_overflow(low, more, &sum[i]);
	}
	assert(!carry);
}

static __attribute__((noinline)) struct level_chunk *
more_room(const struct level_merge *merge, struct level_worker *worker, struct level_chunk *full)
{
	struct level_chunk *chunk = level_take_chunk(merge->pool, &merge->to);

	if (full)
		worker->count += full->count;
	*vec_push(&worker->chunks) = chunk;
	return chunk;
}

ALWAYS_INLINE void merge_all(const struct level_merge *merge, struct level_worker *worker,
			     const uint64_t *high, const uint32_t words,
			     const enum state_sets_kind kind, const enum limbs limbs)
{
	const uint32_t lanes = merge->layout->lane_count, room = merge->to.limbs;
	const uint64_t bad = merge->sets->bad;
	uint64_t *heads = worker->heads, top = 0;
	struct level_chunk *chunk = more_room(merge, worker, NULL);

	for (;;) {
		uint32_t first = 0;
		uint64_t payload = 0, count = 0, low1 = heads[0];
		const uint64_t *low = &low1;
		uint64_t *key, *sum;

		if (words == 1) {
			for (uint32_t t = 1; t < lanes; t++)
				low1 = heads[t] < low1 ? heads[t] : low1;
		} else {
			for (uint32_t t = 1; t < lanes; t++) {
				if (is_less(&heads[(size_t)t * words],
					    &heads[(size_t)first * words], words))
					first = t;
			}
			low = &heads[(size_t)first * words];
		}
		if (low[0] == OVER || (high && !is_less(low, high, words)))
			break;
		if (chunk->count == chunk->room)
			chunk = more_room(merge, worker, chunk);
		if (words == 1 && lanes > 1) {
			uint64_t moved;
			uint32_t many = level_merge_block(merge, worker, chunk, low1,
							  high ? *high : OVER, &moved);

			chunk->count += many;
			for (; many && moved; moved &= moved - 1)
				advance(merge, worker, __builtin_ctzll(moved), words);
			if (many)
				continue;
		}
		key = &chunk->keys[(size_t)chunk->count * words];
		for (uint32_t w = 0; w < words; w++)
			key[w] = low[w];
		sum = &chunk->counts[(size_t)chunk->count * room];
		if (limbs == LIMBS_ANY)
			memset(sum, 0, room * sizeof *sum);
		for (uint32_t t = first; t < lanes; t++) {
			struct level_cursor *cursor = &worker->cursors[t];
			const struct level_lane *lane = &merge->layout->lanes[t];
			uint64_t to;

			if (!is_equal(&heads[(size_t)t * words], key, words))
				continue;
			to = step_payload(merge, worker, cursor, lane->codes[cursor->beyond], kind);
			if (to & bad)
				to = level_take_bad(merge, worker, lane, cursor, to);
			payload = kind == STATE_SETS_SHARED
					  ? state_sets_union_shared(merge->sets, &worker->memory,
								    payload, to)
					  : payload | to;
			if (limbs == LIMBS_ONE)
				count += cursor->counts[cursor->at];
			if (limbs == LIMBS_ANY)
				level_add_count(sum, room,
						&cursor->counts[(size_t)cursor->at *
								merge->from->shape.limbs],
						merge->from->shape.limbs);
			cursor->at++;
			advance(merge, worker, t, words);
		}
		put_payload(chunk, chunk->count, payload, kind);
		if (limbs == LIMBS_ONE) {
			*sum = count;
			top |= count;
		}
		if (limbs == LIMBS_ANY)
			top |= sum[room - 1];
		chunk->count++;
	}
	worker->count += chunk->count;
	worker->top |= top;
}

/* Wide keys are rare: one copy for each kind, which asks for the rest. */
#define COPIES(kind, name)                                                                         \
	static void name(const struct level_merge *merge, struct level_worker *worker,             \
			 const uint64_t *high)                                                     \
	{                                                                                          \
		uint32_t words = merge->layout->words, limbs = merge->to.limbs;                    \
                                                                                                   \
		if (words > 1)                                                                     \
			merge_all(merge, worker, high, words, kind,                                \
				  limbs ? LIMBS_ANY : LIMBS_NONE);                                 \
		else if (!limbs)                                                                   \
			merge_all(merge, worker, high, 1, kind, LIMBS_NONE);                       \
		else if (limbs == 1)                                                               \
			merge_all(merge, worker, high, 1, kind, LIMBS_ONE);                        \
		else                                                                               \
			merge_all(merge, worker, high, 1, kind, LIMBS_ANY);                        \
	}
COPIES(STATE_SETS_BYTE, merge_bytes)
COPIES(STATE_SETS_WORD, merge_words)
COPIES(STATE_SETS_SHARED, merge_shared)

static void prepare(const struct level_merge *merge, struct level_worker *worker)
{
	size_t lanes = merge->layout->lane_count, want = lanes * merge->layout->words;

	worker->chunks.count = 0;
	worker->count = worker->released = 0;
	worker->top = 0;
	if (want <= worker->room)
		return;
	worker->room = want;
	worker->cursors = mem_resize(worker->cursors, want, sizeof *worker->cursors);
	worker->heads = mem_resize(worker->heads, want, sizeof *worker->heads);
}

void level_merge_range(const struct level_merge *merge, struct level_worker *worker,
		       const uint64_t *low, const uint64_t *high)
{
	uint32_t lanes = merge->layout->lane_count, words = merge->layout->words;

	prepare(merge, worker);
	for (uint32_t t = 0; t < lanes; t++)
		seek(merge, &worker->cursors[t], &merge->layout->lanes[t], low);
	for (uint32_t t = 0; t < lanes; t++)
		advance(merge, worker, t, words);
	switch (lanes ? merge->sets->kind : UINT8_MAX) {
	case STATE_SETS_BYTE: merge_bytes(merge, worker, high); break;
	case STATE_SETS_WORD: merge_words(merge, worker, high); break;
	case STATE_SETS_SHARED: merge_shared(merge, worker, high); break;
	}
	release(merge, worker, merge->from->chunks.count);
}
