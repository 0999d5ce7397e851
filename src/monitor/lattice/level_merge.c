/*
 * Merges a level into the next one (level_merge.h), one cut at a time where level_block.c cannot
 * take a block.
 */
#include "monitor/lattice/level_cursor.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* The head of a sequence that has ended. It is not a key: guard bits are never set in one. */
#define NO_HEAD UINT64_MAX

void level_worker_init(struct level_worker *worker)
{
	*worker = (struct level_worker){ 0 };
	state_sets_cache_init(&worker->cache);
}

void level_worker_free(struct level_worker *worker)
{
	state_sets_cache_free(&worker->cache);
	map_free(&worker->seen);
	vec_free(&worker->found);
	vec_free(&worker->keys);
	vec_free(&worker->states);
	vec_free(&worker->chunks);
	free(worker->cursors);
	free(worker->heads);
}

/* ---- reading chunks -------------------------------------------------------------------------- */

/*
 * Called when this range has read the chunks before `until`. Returns a chunk to the pool when no
 * other range reads it.
 */
static void release_chunks(const struct level_merge *merge, struct level_worker *worker,
			   size_t until)
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
	for (uint32_t i = 0; i < merge->layout->field_count; i++) {
		if (worker->cursors[i].chunk < least)
			least = worker->cursors[i].chunk;
	}
	release_chunks(merge, worker, least);
	return open_chunk(merge, cursor);
}

/* Is the successor of the key by the field's column below `low`? */
static bool is_successor_below(const struct level_field *field, const uint64_t *key,
			       const uint64_t *low, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		uint64_t word = key[w] + (w == field->word ? field->step : 0);

		if (word != low[w])
			return word < low[w];
	}
	return false;
}

/* Moves the cursor to the first cut whose successor is not below `low`. */
static void seek_successor(const struct level_merge *merge, struct level_cursor *cursor,
			   const struct level_field *field, const uint64_t *low)
{
	const struct level *from = merge->from;
	uint32_t words = merge->layout->words, at;

	*cursor = (struct level_cursor){ 0 };
	while (low && cursor->chunk < from->chunks.count) {
		const struct level_chunk *chunk = from->chunks.items[cursor->chunk];

		if (!is_successor_below(field, &chunk->keys[(size_t)(chunk->count - 1) * words],
					low, words))
			break;
		cursor->chunk++;
	}
	if (!open_chunk(merge, cursor) || !low)
		return;
	SEARCH_FIRST(at, cursor->count,
		     !is_successor_below(field, &cursor->keys[(size_t)at * words], low, words));
	cursor->at = at;
}

/* ---- violations ------------------------------------------------------------------------------ */

/*
 * Records the machines that became bad in the step from the cursor's cut, unless the violation of a
 * machine at this event is already known.
 */
static void record_violation(const struct level_merge *merge, struct level_worker *worker,
			     const struct level_field *field, const struct level_cursor *cursor,
			     uint64_t payload)
{
	struct state_sets *sets = merge->sets;
	uint32_t position = field->base + cursor->beyond, words = merge->layout->words;
	uint64_t event = merge->order->columns[field->column].first + position;

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
		*vec_push(&worker->found) =
			(struct level_violation){ state->machine, field->column, position,
						  worker->keys.count };
		memcpy(vec_reserve(&worker->keys, words), &cursor->keys[(size_t)cursor->at * words],
		       words * sizeof(uint64_t));
		worker->keys.count += words;
	}
	if (sets->kind == STATE_SETS_SHARED)
		pthread_mutex_unlock(&sets->lock);
}

uint64_t level_record_bad(const struct level_merge *merge, struct level_worker *worker,
			  const struct level_field *field, const struct level_cursor *cursor,
			  uint64_t payload)
{
	if (merge->find && (merge->only == UINT32_MAX || merge->only == field->column))
		record_violation(merge, worker, field, cursor, payload);
	return state_sets_clean(merge->sets, &worker->cache, payload);
}

/* ---- merging --------------------------------------------------------------------------------- */

/*
 * The functions below are compiled once for each representation of state sets, for keys of one and
 * of several words, and for no counts, counts of one limb and longer ones: `words`, `kind` and
 * `limbs` are constants in these copies.
 */
enum limbs { LIMBS_NONE, LIMBS_ONE, LIMBS_ANY };

/*
 * Moves the cursor to the next cut that the field's event may follow. The successor becomes the
 * head.
 */
ALWAYS_INLINE void advance_cursor(const struct level_merge *merge, struct level_worker *worker,
				  uint32_t number, const uint32_t words)
{
	const struct level_layout *layout = merge->layout;
	const struct level_field *field = &layout->fields[number];
	struct level_cursor *cursor = &worker->cursors[number];
	uint64_t *head = &worker->heads[(size_t)number * words];

	do {
		uint32_t at = cursor->at, count = cursor->count;

		for (; at < count; at++) {
			const uint64_t *key = &cursor->keys[(size_t)at * words];
			uint32_t word = words == 1 ? 0 : field->word;
			uint32_t beyond = key[word] >> field->shift & field->mask;

			if (!level_may_follow(merge->order, layout, key, field, beyond, words))
				continue;
			for (uint32_t w = 0; w < words; w++)
				head[w] = key[w];
			head[word] += field->step;
			cursor->beyond = beyond;
			cursor->at = at;
			return;
		}
	} while (next_chunk(merge, worker, cursor));
	head[0] = NO_HEAD;
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
add_chunk(const struct level_merge *merge, struct level_worker *worker, struct level_chunk *full)
{
	struct level_chunk *chunk = level_take_chunk(merge->pool, &merge->to);

	if (full)
		worker->count += full->count;
	*vec_push(&worker->chunks) = chunk;
	return chunk;
}

ALWAYS_INLINE void merge_cuts(const struct level_merge *merge, struct level_worker *worker,
			      const uint64_t *high, const uint32_t words,
			      const enum state_sets_kind kind, const enum limbs limbs)
{
	const uint32_t fields = merge->layout->field_count, room = merge->to.limbs;
	const uint64_t bad = merge->sets->bad;
	uint64_t *heads = worker->heads, top = 0;
	struct level_chunk *chunk = add_chunk(merge, worker, NULL);

	for (;;) {
		uint32_t first = 0;
		uint64_t payload = 0, count = 0, low1 = heads[0];
		const uint64_t *low = &low1;
		uint64_t *key, *sum;

		if (words == 1) {
			for (uint32_t t = 1; t < fields; t++)
				low1 = heads[t] < low1 ? heads[t] : low1;
		} else {
			for (uint32_t t = 1; t < fields; t++) {
				if (is_less(&heads[(size_t)t * words],
					    &heads[(size_t)first * words], words))
					first = t;
			}
			low = &heads[(size_t)first * words];
		}
		if (low[0] == NO_HEAD || (high && !is_less(low, high, words)))
			break;
		if (chunk->count == chunk->room)
			chunk = add_chunk(merge, worker, chunk);
		if (words == 1 && fields > 1) {
			uint64_t moved;
			uint32_t many = level_merge_block(merge, worker, chunk, low1,
							  high ? *high : NO_HEAD, &moved);

			chunk->count += many;
			for (; many && moved; moved &= moved - 1)
				advance_cursor(merge, worker, __builtin_ctzll(moved), words);
			if (many)
				continue;
		}
		key = &chunk->keys[(size_t)chunk->count * words];
		for (uint32_t w = 0; w < words; w++)
			key[w] = low[w];
		sum = &chunk->counts[(size_t)chunk->count * room];
		if (limbs == LIMBS_ANY)
			memset(sum, 0, room * sizeof *sum);
		for (uint32_t t = first; t < fields; t++) {
			struct level_cursor *cursor = &worker->cursors[t];
			const struct level_field *field = &merge->layout->fields[t];
			uint64_t to;

			if (!is_equal(&heads[(size_t)t * words], key, words))
				continue;
			to = level_step_payload(merge, worker, cursor->payloads, cursor->at,
						field->codes[cursor->beyond], kind);
			if (to & bad)
				to = level_record_bad(merge, worker, field, cursor, to);
			payload = level_unite_payloads(merge, worker, payload, to, kind);
			if (limbs == LIMBS_ONE)
				count += cursor->counts[cursor->at];
			if (limbs == LIMBS_ANY)
				level_add_count(sum, room,
						&cursor->counts[(size_t)cursor->at *
								merge->from->shape.limbs],
						merge->from->shape.limbs);
			cursor->at++;
			advance_cursor(merge, worker, t, words);
		}
		level_store_payload(chunk, chunk->count, payload, kind);
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

/* Wide keys are rare: they get one copy for each kind, which tests the rest at run time. */
#define MERGE_COPIES(kind, name)                                                                   \
	static void name(const struct level_merge *merge, struct level_worker *worker,             \
			 const uint64_t *high)                                                     \
	{                                                                                          \
		uint32_t words = merge->layout->words, limbs = merge->to.limbs;                    \
                                                                                                   \
		if (words > 1)                                                                     \
			merge_cuts(merge, worker, high, words, kind,                               \
				   limbs ? LIMBS_ANY : LIMBS_NONE);                                \
		else if (!limbs)                                                                   \
			merge_cuts(merge, worker, high, 1, kind, LIMBS_NONE);                      \
		else if (limbs == 1)                                                               \
			merge_cuts(merge, worker, high, 1, kind, LIMBS_ONE);                       \
		else                                                                               \
			merge_cuts(merge, worker, high, 1, kind, LIMBS_ANY);                       \
	}
MERGE_COPIES(STATE_SETS_BYTE, merge_bytes)
MERGE_COPIES(STATE_SETS_WORD, merge_words)
MERGE_COPIES(STATE_SETS_SHARED, merge_shared)

static void reset_worker(const struct level_merge *merge, struct level_worker *worker)
{
	size_t fields = merge->layout->field_count, want = fields * merge->layout->words;

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
	uint32_t fields = merge->layout->field_count, words = merge->layout->words;

	reset_worker(merge, worker);
	for (uint32_t t = 0; t < fields; t++)
		seek_successor(merge, &worker->cursors[t], &merge->layout->fields[t], low);
	for (uint32_t t = 0; t < fields; t++)
		advance_cursor(merge, worker, t, words);
	switch (fields ? merge->sets->kind : UINT8_MAX) {
	case STATE_SETS_BYTE: merge_bytes(merge, worker, high); break;
	case STATE_SETS_WORD: merge_words(merge, worker, high); break;
	case STATE_SETS_SHARED: merge_shared(merge, worker, high); break;
	}
	release_chunks(merge, worker, merge->from->chunks.count);
}
