/*
 * Sets of monitor states (state_sets.h): the search for all states, the step tables of byte and
 * word masks, and hash-consed sets with each worker's cache.
 */
#include "monitor/lattice/state_sets.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/*
 * Limit for the (state, symbol) pairs tried beforehand. Trying more takes longer than the tables
 * save.
 */
#define MOST_TRIES (1u << 20)
/* Limit in bytes for the step tables. Larger ones fit into no cache. */
#define MOST_TABLE_BYTES (64u << 20)
#define FIRST_CACHE_BITS 12
#define LAST_CACHE_BITS 20

/* ---- states ---------------------------------------------------------------------------------- */

#define NO_STATE UINT32_MAX

/* Returns the index of a machine's state, or NO_STATE if nothing bad can follow from it. */
static uint32_t state_number(struct state_sets *sets, uint32_t machine, uint32_t state)
{
	struct machine *m = sets->machines[machine].machine;
	bool fresh;
	uint64_t *at = map_put(&sets->index[machine], state, &fresh);

	if (fresh) {
		bool bad = m->is_bad(m->self, state);

		if (!bad && m->is_safe && m->is_safe(m->self, state)) {
			*at = NO_STATE;
		} else {
			*at = sets->states.count;
			*vec_push(&sets->states) = (struct state_sets_state){
				.machine = machine,
				.state = state,
				.bad = bad,
				.bad_at_end = m->is_bad_at_end && m->is_bad_at_end(m->self, state),
			};
		}
	}
	return *at;
}

/* Appends the states that `state` steps to. Returns false if the machine failed. */
static bool append_successors(struct state_sets *sets, uint32_t state, uint32_t symbol,
			      machine_states *out, struct err *err)
{
	struct state_sets_state from = sets->states.items[state];
	const struct state_sets_machine *m = &sets->machines[from.machine];
	const struct state_sets_symbol *l = &sets->symbols[symbol];
	size_t first = out->count, kept = first;

	assert(!from.bad);
	if (!m->machine->step(m->machine->self, from.state, m->by_message ? l->message : l->label,
			      out, err))
		return false;
	for (size_t i = first; i < out->count; i++) {
		uint32_t to = state_number(sets, from.machine, out->items[i]);

		if (to != NO_STATE)
			out->items[kept++] = to;
	}
	out->count = kept;
	return true;
}

/* ---- masks ----------------------------------------------------------------------------------- */

/*
 * The search for all states. rows[symbol * 64 + bit] is the mask of the states to which the state
 * of `bit` steps, as long as 64 bits are enough.
 */
struct state_sets_search {
	uint64_t *rows;
	machine_states bit_of;	/* by state */
	VEC(uint32_t) state_of; /* by bit */
	uint32_t *bad_bit;	/* by machine: the bit of its bad states, or NO_STATE */
	uint64_t bad;
	uint64_t tries;
};

static bool assign_bit(struct state_sets *sets, struct state_sets_search *search, uint32_t state,
		       uint32_t *bit)
{
	const struct state_sets_state *s = &sets->states.items[state];

	while (search->bit_of.count <= state)
		*vec_push(&search->bit_of) = NO_STATE;
	*bit = s->bad ? search->bad_bit[s->machine] : search->bit_of.items[state];
	if (*bit != NO_STATE)
		return true;
	if (search->state_of.count == 64)
		return false;
	*bit = search->state_of.count;
	*vec_push(&search->state_of) = state;
	search->bit_of.items[state] = *bit;
	if (s->bad) {
		search->bad_bit[s->machine] = *bit;
		search->bad |= 1ull << *bit;
	}
	return true;
}

static bool search_from(struct state_sets *sets, struct state_sets_search *search, uint32_t bit,
			machine_states *next)
{
	struct err err;

	for (uint32_t symbol = 1; symbol < sets->symbol_count; symbol++) {
		uint64_t row = 0;

		next->count = 0;
		if (++search->tries > MOST_TRIES ||
		    !append_successors(sets, search->state_of.items[bit], symbol, next, &err))
			return false;
		for (size_t i = 0; i < next->count; i++) {
			uint32_t to;

			if (!assign_bit(sets, search, next->items[i], &to))
				return false;
			row |= 1ull << to;
		}
		search->rows[(size_t)symbol * 64 + bit] = row;
	}
	return true;
}

/*
 * Returns false if masks cannot be used. A machine that fails here is not an error yet: the walk
 * may never step it that far.
 */
static bool search_states(struct state_sets *sets, struct state_sets_search *search)
{
	machine_states next = { 0 };
	bool good = true;

	for (uint32_t m = 0; good && m < sets->machine_count; m++) {
		struct machine *machine = sets->machines[m].machine;
		uint32_t state = state_number(sets, m, machine->initial(machine->self)), bit;

		search->bad_bit[m] = NO_STATE;
		if (state == NO_STATE)
			continue;
		good = assign_bit(sets, search, state, &bit);
		if (good)
			sets->initial |= 1ull << bit;
	}
	for (uint32_t bit = 0; good && bit < search->state_of.count; bit++) {
		if (!(search->bad >> bit & 1))
			good = search_from(sets, search, bit, &next);
	}
	vec_free(&next);
	return good;
}

/*
 * Gives symbols with the same effect one table: a trace has many labels that a formula does not
 * distinguish.
 */
static uint32_t classify_symbols(struct state_sets *sets, const struct state_sets_search *search,
				 uint32_t *sample)
{
	struct map classes = { 0 };
	uint32_t count = 0;

	sets->table_of_symbol = mem_zalloc(sets->symbol_count, sizeof *sets->table_of_symbol);
	for (uint32_t l = 0; l < sets->symbol_count; l++) {
		const uint64_t *row = &search->rows[(size_t)l * 64];
		uint64_t hash = 1, *at;
		bool fresh = true;

		for (uint32_t i = 0; i < sets->bits; i++)
			hash = hash_mix(hash, row[i]);
		/* A hash collision of different rows: try the next number. */
		for (;; hash++) {
			at = map_put(&classes, hash, &fresh);
			if (fresh || !memcmp(row, &search->rows[(size_t)sample[*at] * 64],
					     sets->bits * sizeof *row))
				break;
		}
		if (fresh) {
			*at = count;
			sample[count++] = l;
		}
		sets->table_of_symbol[l] = *at;
	}
	map_free(&classes);
	return count;
}

static void fill_slice(const uint64_t *row, uint32_t slice, uint32_t bits, uint64_t *table)
{
	table[0] = 0;
	for (uint32_t mask = 1; mask < 256; mask++) {
		uint32_t bit = slice * 8 + __builtin_ctz(mask);

		table[mask] = table[mask & (mask - 1)] | (bit < bits ? row[bit] : 0);
	}
}

static void make_tables(struct state_sets *sets, const struct state_sets_search *search,
			const uint32_t *sample, uint32_t classes)
{
	uint64_t slice[256];

	if (sets->kind == STATE_SETS_BYTE)
		sets->byte_tables = mem_alloc((size_t)classes * 256);
	else
		sets->word_tables = mem_alloc((size_t)classes * sets->slices * sizeof slice);
	for (uint32_t c = 0; c < classes; c++) {
		const uint64_t *row = &search->rows[(size_t)sample[c] * 64];

		for (uint32_t s = 0; s < sets->slices; s++) {
			if (sets->kind == STATE_SETS_WORD) {
				fill_slice(
					row, s, sets->bits,
					&sets->word_tables[((size_t)c * sets->slices + s) * 256]);
				continue;
			}
			fill_slice(row, s, sets->bits, slice);
			for (uint32_t i = 0; i < 256; i++)
				sets->byte_tables[(size_t)c * 256 + i] = slice[i];
		}
	}
}

static bool use_masks(struct state_sets *sets)
{
	struct state_sets_search search = { .bad_bit = mem_alloc(sets->machine_count *
								 sizeof(uint32_t)) };
	uint32_t *sample = mem_zalloc(sets->symbol_count, sizeof *sample), classes;
	bool good = sets->symbol_count <= MOST_TRIES;

	if (good) {
		search.rows = mem_zalloc((size_t)sets->symbol_count * 64, sizeof *search.rows);
		good = search_states(sets, &search);
	}
	if (good) {
		sets->bits = search.state_of.count;
		sets->slices = sets->bits ? (sets->bits + 7) / 8 : 1;
		sets->kind = sets->bits <= 8 ? STATE_SETS_BYTE : STATE_SETS_WORD;
		/* A silent step changes nothing. No step is ever made from a bad state. */
		for (uint32_t i = 0; i < sets->bits; i++)
			search.rows[i] = 1ull << i;
		classes = classify_symbols(sets, &search, sample);
		good = (size_t)classes * sets->slices * 2048 <= MOST_TABLE_BYTES;
	}
	if (good) {
		sets->bad = search.bad;
		make_tables(sets, &search, sample, classes);
		sets->bit_state = search.state_of.items;
	} else {
		vec_free(&search.state_of);
	}
	free(search.rows);
	free(search.bad_bit);
	free(sample);
	vec_free(&search.bit_of);
	return good;
}

/* ---- hash-consed sets ------------------------------------------------------------------------ */

static uint64_t hash_members(const uint32_t *members, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = hash_mix(hash, members[i]);
	return hash;
}

static void grow_slots(struct state_sets *sets)
{
	free(sets->slots);
	sets->slot_mask = sets->slot_mask ? sets->slot_mask * 2 + 1 : 255;
	sets->slots = mem_zalloc(sets->slot_mask + 1, sizeof *sets->slots);
	for (uint32_t n = 1; n < sets->list.count; n++) {
		const struct state_sets_set *set = &sets->list.items[n];
		size_t at = hash_members(&sets->members.items[set->at], set->count);

		for (at &= sets->slot_mask; sets->slots[at]; at = (at + 1) & sets->slot_mask)
			;
		sets->slots[at] = n;
	}
}

/* Returns the number of the set of these states, which it sorts. The caller holds the lock. */
static uint32_t set_number(struct state_sets *sets, uint32_t *states, size_t count)
{
	size_t kept = 0, at;
	uint32_t bad = 0;

	if (!count)
		return 0;
	sort_items(states, count, sizeof *states, sort_u32);
	for (size_t i = 0; i < count; i++) {
		if (i && states[i] == states[i - 1])
			continue;
		bad |= sets->states.items[states[i]].bad ? STATE_SETS_BAD : 0;
		states[kept++] = states[i];
	}
	if (sets->list.count * 2 > sets->slot_mask)
		grow_slots(sets);
	at = hash_members(states, kept) & sets->slot_mask;
	for (; sets->slots[at]; at = (at + 1) & sets->slot_mask) {
		const struct state_sets_set *set = &sets->list.items[sets->slots[at]];

		if (set->count == kept &&
		    !memcmp(&sets->members.items[set->at], states, kept * sizeof *states))
			return sets->slots[at] | bad;
	}
	sets->slots[at] = sets->list.count;
	*vec_push(&sets->list) = (struct state_sets_set){ sets->members.count, kept, UINT32_MAX };
	vec_append(&sets->members, states, kept);
	return sets->slots[at] | bad;
}

static void copy_members(const struct state_sets *sets, uint32_t number, machine_states *out)
{
	const struct state_sets_set *set = &sets->list.items[number & ~STATE_SETS_BAD];

	vec_append(out, &sets->members.items[set->at], set->count);
}

/* ---- a worker's cache ------------------------------------------------------------------------ */

static void allocate_cache(struct state_sets_cache *cache)
{
	cache->steps = mem_zalloc((size_t)1 << cache->bits, sizeof *cache->steps);
	cache->unions = mem_zalloc((size_t)1 << cache->bits, sizeof *cache->unions);
}

void state_sets_cache_init(struct state_sets_cache *cache)
{
	*cache = (struct state_sets_cache){ .bits = FIRST_CACHE_BITS };
	allocate_cache(cache);
}

void state_sets_cache_free(struct state_sets_cache *cache)
{
	free(cache->steps);
	free(cache->unions);
	vec_free(&cache->scratch);
	vec_free(&cache->next);
}

static void count_miss(struct state_sets_cache *cache)
{
	if (++cache->misses < (uint64_t)4 << cache->bits || cache->bits >= LAST_CACHE_BITS)
		return;
	free(cache->steps);
	free(cache->unions);
	cache->misses = 0;
	cache->bits += 2;
	allocate_cache(cache);
}

/*
 * Describes one run: from a violation on, the run has a single state of the violated machine. This
 * state is the first bad state of the machine that any run reached.
 */
static void collapse_violated_machines(struct state_sets *sets, machine_states *states)
{
	size_t kept = 0;

	for (size_t i = 0; i < states->count; i++) {
		const struct state_sets_state *s = &sets->states.items[states->items[i]];

		if (s->bad && sets->bad_state[s->machine] == NO_STATE)
			sets->bad_state[s->machine] = states->items[i];
		if (s->bad)
			sets->bad_now[s->machine] = true;
	}
	for (size_t i = 0; i < states->count; i++) {
		uint32_t machine = sets->states.items[states->items[i]].machine;

		states->items[kept++] =
			sets->bad_now[machine] ? sets->bad_state[machine] : states->items[i];
	}
	memset(sets->bad_now, 0, sets->machine_count * sizeof *sets->bad_now);
}

uint32_t state_sets_find_step(struct state_sets *sets, struct state_sets_cache *cache, uint32_t set,
			      uint32_t symbol)
{
	uint64_t key = (uint64_t)set << 32 | symbol;
	uint32_t value = 0;

	assert(sets->absorbing || !(set & STATE_SETS_BAD));
	count_miss(cache);
	pthread_mutex_lock(&sets->lock);
	cache->scratch.count = cache->next.count = 0;
	copy_members(sets, set, (machine_states *)&cache->scratch);
	for (size_t i = 0; i < cache->scratch.count && !sets->failed; i++) {
		uint32_t state = cache->scratch.items[i];

		if (sets->states.items[state].bad)
			*vec_push(&cache->next) = state;
		else if (!append_successors(sets, state, symbol, &cache->next, &sets->err))
			sets->failed = true;
	}
	if (sets->absorbing)
		collapse_violated_machines(sets, &cache->next);
	if (!sets->failed)
		value = set_number(sets, cache->next.items, cache->next.count);
	pthread_mutex_unlock(&sets->lock);
	cache->steps[state_sets_slot(cache, key)] = (struct state_sets_cached){ key, value };
	return value;
}

uint32_t state_sets_find_union(struct state_sets *sets, struct state_sets_cache *cache, uint32_t a,
			       uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	uint32_t value;

	count_miss(cache);
	pthread_mutex_lock(&sets->lock);
	cache->next.count = 0;
	copy_members(sets, a, &cache->next);
	copy_members(sets, b, &cache->next);
	value = set_number(sets, cache->next.items, cache->next.count);
	pthread_mutex_unlock(&sets->lock);
	cache->unions[state_sets_slot(cache, key)] = (struct state_sets_cached){ key, value };
	return value;
}

/* ---- the interface --------------------------------------------------------------------------- */

static void use_shared(struct state_sets *sets)
{
	machine_states first = { 0 };

	sets->kind = STATE_SETS_SHARED;
	sets->bad = STATE_SETS_BAD;
	*vec_push(&sets->list) = (struct state_sets_set){ 0 };
	grow_slots(sets);
	for (uint32_t m = 0; m < sets->machine_count; m++) {
		struct machine *machine = sets->machines[m].machine;
		uint32_t state = state_number(sets, m, machine->initial(machine->self));

		if (state != NO_STATE)
			*vec_push(&first) = state;
	}
	sets->initial = set_number(sets, first.items, first.count);
	vec_free(&first);
}

bool state_sets_init(struct state_sets *sets, const struct state_sets_machine *machines,
		     uint32_t machine_count, const struct state_sets_symbol *symbols,
		     uint32_t symbol_count, bool absorbing, struct err *err)
{
	*sets = (struct state_sets){ .machines = machines,
				     .machine_count = machine_count,
				     .symbols = symbols,
				     .symbol_count = symbol_count,
				     .index = mem_zalloc(machine_count, sizeof(struct map)) };
	pthread_mutex_init(&sets->lock, NULL);
	sets->absorbing = absorbing;
	if (absorbing) {
		sets->bad_state = mem_alloc(machine_count * sizeof *sets->bad_state);
		memset(sets->bad_state, 0xff, machine_count * sizeof *sets->bad_state);
		sets->bad_now = mem_zalloc(machine_count, sizeof *sets->bad_now);
	}
	if (absorbing || !use_masks(sets)) {
		free(sets->table_of_symbol);
		sets->table_of_symbol = NULL;
		use_shared(sets);
	}
	if (sets->failed)
		*err = sets->err;
	return !sets->failed;
}

void state_sets_free(struct state_sets *sets)
{
	for (uint32_t m = 0; m < sets->machine_count; m++)
		map_free(&sets->index[m]);
	free(sets->index);
	vec_free(&sets->states);
	free(sets->bit_state);
	free(sets->bad_state);
	free(sets->bad_now);
	free(sets->table_of_symbol);
	free(sets->byte_tables);
	free(sets->word_tables);
	vec_free(&sets->list);
	vec_free(&sets->members);
	free(sets->slots);
	pthread_mutex_destroy(&sets->lock);
}

size_t state_sets_payload_size(const struct state_sets *sets)
{
	return sets->kind == STATE_SETS_BYTE ? 1 : sets->kind == STATE_SETS_WORD ? 8 : 4;
}

void state_sets_list_states(struct state_sets *sets, uint64_t payload, machine_states *out)
{
	if (sets->kind == STATE_SETS_SHARED) {
		pthread_mutex_lock(&sets->lock);
		copy_members(sets, payload, out);
		pthread_mutex_unlock(&sets->lock);
		return;
	}
	for (; payload; payload &= payload - 1)
		*vec_push(out) = sets->bit_state[__builtin_ctzll(payload)];
}

uint64_t state_sets_clean(struct state_sets *sets, struct state_sets_cache *cache, uint64_t payload)
{
	uint32_t number = payload & ~STATE_SETS_BAD, clean;
	size_t kept = 0;

	if (sets->kind != STATE_SETS_SHARED)
		return payload & ~sets->bad;
	if (!(payload & STATE_SETS_BAD))
		return payload;
	pthread_mutex_lock(&sets->lock);
	clean = sets->list.items[number].clean;
	if (clean == UINT32_MAX) {
		cache->next.count = 0;
		copy_members(sets, number, &cache->next);
		for (size_t i = 0; i < cache->next.count; i++) {
			if (!sets->states.items[cache->next.items[i]].bad)
				cache->next.items[kept++] = cache->next.items[i];
		}
		clean = set_number(sets, cache->next.items, kept);
		sets->list.items[number].clean = clean;
	}
	pthread_mutex_unlock(&sets->lock);
	return clean;
}

void state_sets_list_successors(struct state_sets *sets, uint32_t state, uint32_t symbol,
				machine_states *out)
{
	if (!symbol) {
		*vec_push(out) = state;
		return;
	}
	/* The walk has made this step before, and it did not fail. */
	if (!append_successors(sets, state, symbol, out, &sets->err))
		sets->failed = true;
}

uint32_t state_sets_code(const struct state_sets *sets, uint32_t symbol)
{
	return sets->kind == STATE_SETS_SHARED ? symbol : sets->table_of_symbol[symbol];
}

uint64_t state_sets_step(struct state_sets *sets, struct state_sets_cache *cache, uint64_t payload,
			 uint32_t code)
{
	switch (sets->kind) {
	case STATE_SETS_BYTE: return state_sets_step_byte(sets, payload, code);
	case STATE_SETS_WORD: return state_sets_step_word(sets, payload, code);
	}
	return state_sets_step_shared(sets, cache, payload, code);
}
