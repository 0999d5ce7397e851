#include "monitor/lattice/state_sets.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* Tries of (state, letter) beforehand: more take longer than they save. */
#define MOST_TRIES (1u << 20)
/* Bytes of step tables: beyond them they are in no cache. */
#define MOST_TABLES (64u << 20)
#define FIRST_BITS 12
#define LAST_BITS 20

/* ---- states ---------------------------------------------------------------------------------------- */

#define NO_STATE UINT32_MAX

/* Our number of a machine's state; NO_STATE if nothing bad can come of it. */
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

/* Appends what the state steps to, by our numbers. False: the machine failed. */
static bool successors(struct state_sets *sets, uint32_t state, uint32_t letter,
		       machine_states *out, struct err *err)
{
	struct state_sets_state from = sets->states.items[state];
	const struct state_sets_machine *m = &sets->machines[from.machine];
	const struct state_sets_letter *l = &sets->letters[letter];
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

/* ---- masks ----------------------------------------------------------------------------------------- */

/*
 * All states, and the masks that each steps to by each letter, as far as there are at most 64 bits.
 * rows[letter * 64 + bit].
 */
struct state_sets_search {
	uint64_t *rows;
	machine_states bit_of;	/* by state */
	VEC(uint32_t) state_of; /* by bit */
	uint32_t *bad_bit;	/* by machine, or NO_STATE */
	uint64_t bad;
	uint64_t tries;
};

static bool give_bit(struct state_sets *sets, struct state_sets_search *search, uint32_t state,
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

	for (uint32_t letter = 1; letter < sets->letter_count; letter++) {
		uint64_t row = 0;

		next->count = 0;
		if (++search->tries > MOST_TRIES ||
		    !successors(sets, search->state_of.items[bit], letter, next, &err))
			return false;
		for (size_t i = 0; i < next->count; i++) {
			uint32_t to;

			if (!give_bit(sets, search, next->items[i], &to))
				return false;
			row |= 1ull << to;
		}
		search->rows[(size_t)letter * 64 + bit] = row;
	}
	return true;
}

/* False: no masks. A machine that fails here may never be driven so far, so that is no error yet. */
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
		good = give_bit(sets, search, state, &bit);
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

/* Letters that do the same have one table: a trace has many labels that a formula does not tell apart. */
static uint32_t class_letters(struct state_sets *sets, const struct state_sets_search *search,
			      uint32_t *sample)
{
	struct map classes = { 0 };
	uint32_t count = 0;

	sets->letter_table = mem_zalloc(sets->letter_count, sizeof *sets->letter_table);
	for (uint32_t l = 0; l < sets->letter_count; l++) {
		const uint64_t *row = &search->rows[(size_t)l * 64];
		uint64_t hash = 1, *at;
		bool fresh = true;

		for (uint32_t i = 0; i < sets->bits; i++)
			hash = hash_mix(hash, row[i]);
		/* equal hashes of different rows: the next number serves */
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
		sets->letter_table[l] = *at;
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
	uint32_t *sample = mem_zalloc(sets->letter_count, sizeof *sample), classes;
	bool good = sets->letter_count <= MOST_TRIES;

	if (good) {
		search.rows = mem_zalloc((size_t)sets->letter_count * 64, sizeof *search.rows);
		good = search_states(sets, &search);
	}
	if (good) {
		sets->bits = search.state_of.count;
		sets->slices = sets->bits ? (sets->bits + 7) / 8 : 1;
		sets->kind = sets->bits <= 8 ? STATE_SETS_BYTE : STATE_SETS_WORD;
		/* silence changes nothing; nobody steps from a bad state */
		for (uint32_t i = 0; i < sets->bits; i++)
			search.rows[i] = 1ull << i;
		classes = class_letters(sets, &search, sample);
		good = (size_t)classes * sets->slices * 2048 <= MOST_TABLES;
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

/* ---- hash-consed sets ------------------------------------------------------------------------------ */

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

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The number of the set of these states, which are put in order first. Under the lock. */
static uint32_t set_number(struct state_sets *sets, uint32_t *states, size_t count)
{
	size_t kept = 0, at;
	uint32_t bad = 0;

	if (!count)
		return 0;
	qsort(states, count, sizeof *states, by_number);
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
	memcpy(vec_reserve(&sets->members, kept), states, kept * sizeof *states);
	sets->members.count += kept;
	return sets->slots[at] | bad;
}

static void copy_members(const struct state_sets *sets, uint32_t number, machine_states *out)
{
	const struct state_sets_set *set = &sets->list.items[number & ~STATE_SETS_BAD];

	if (!set->count)
		return;
	memcpy(vec_reserve(out, set->count), &sets->members.items[set->at],
	       set->count * sizeof *out->items);
	out->count += set->count;
}

/* ---- what workers remember ------------------------------------------------------------------------- */

void state_sets_memory_init(struct state_sets_memory *memory)
{
	*memory = (struct state_sets_memory){ .bits = FIRST_BITS };
	memory->steps = mem_zalloc((size_t)1 << memory->bits, sizeof *memory->steps);
	memory->unions = mem_zalloc((size_t)1 << memory->bits, sizeof *memory->unions);
}

void state_sets_memory_free(struct state_sets_memory *memory)
{
	free(memory->steps);
	free(memory->unions);
	vec_free(&memory->scratch);
	vec_free(&memory->next);
}

static void missed(struct state_sets_memory *memory)
{
	if (++memory->misses < (uint64_t)4 << memory->bits || memory->bits >= LAST_BITS)
		return;
	free(memory->steps);
	free(memory->unions);
	memory->misses = 0;
	memory->bits += 2;
	memory->steps = mem_zalloc((size_t)1 << memory->bits, sizeof *memory->steps);
	memory->unions = mem_zalloc((size_t)1 << memory->bits, sizeof *memory->unions);
}

/* A machine that is bad in a run has one state there, the first bad one that it was seen in. */
static void absorb(struct state_sets *sets, machine_states *states)
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

uint32_t state_sets_find_step(struct state_sets *sets, struct state_sets_memory *memory,
			      uint32_t set, uint32_t letter)
{
	uint64_t key = (uint64_t)set << 32 | letter;
	uint32_t value = 0;

	assert(sets->absorbing || !(set & STATE_SETS_BAD));
	missed(memory);
	pthread_mutex_lock(&sets->lock);
	memory->scratch.count = memory->next.count = 0;
	copy_members(sets, set, (machine_states *)&memory->scratch);
	for (size_t i = 0; i < memory->scratch.count && !sets->failed; i++) {
		uint32_t state = memory->scratch.items[i];

		if (sets->states.items[state].bad)
			*vec_push(&memory->next) = state;
		else if (!successors(sets, state, letter, &memory->next, &sets->err))
			sets->failed = true;
	}
	if (sets->absorbing)
		absorb(sets, &memory->next);
	if (!sets->failed)
		value = set_number(sets, memory->next.items, memory->next.count);
	pthread_mutex_unlock(&sets->lock);
	memory->steps[state_sets_slot(memory, key)] = (struct state_sets_known){ key, value };
	return value;
}

uint32_t state_sets_find_union(struct state_sets *sets, struct state_sets_memory *memory,
			       uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	uint32_t value;

	missed(memory);
	pthread_mutex_lock(&sets->lock);
	memory->next.count = 0;
	copy_members(sets, a, &memory->next);
	copy_members(sets, b, &memory->next);
	value = set_number(sets, memory->next.items, memory->next.count);
	pthread_mutex_unlock(&sets->lock);
	memory->unions[state_sets_slot(memory, key)] = (struct state_sets_known){ key, value };
	return value;
}

/* ---- all of it ------------------------------------------------------------------------------------- */

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
		     uint32_t machine_count, const struct state_sets_letter *letters,
		     uint32_t letter_count, bool absorbing, struct err *err)
{
	*sets = (struct state_sets){ .machines = machines,
				     .machine_count = machine_count,
				     .letters = letters,
				     .letter_count = letter_count,
				     .index = mem_zalloc(machine_count, sizeof(struct map)) };
	pthread_mutex_init(&sets->lock, NULL);
	sets->absorbing = absorbing;
	if (absorbing) {
		sets->bad_state = mem_alloc(machine_count * sizeof *sets->bad_state);
		memset(sets->bad_state, 0xff, machine_count * sizeof *sets->bad_state);
		sets->bad_now = mem_zalloc(machine_count, sizeof *sets->bad_now);
	}
	if (absorbing || !use_masks(sets)) {
		free(sets->letter_table);
		sets->letter_table = NULL;
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
	free(sets->letter_table);
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

uint64_t state_sets_clean(struct state_sets *sets, struct state_sets_memory *memory,
			  uint64_t payload)
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
		memory->next.count = 0;
		copy_members(sets, number, &memory->next);
		for (size_t i = 0; i < memory->next.count; i++) {
			if (!sets->states.items[memory->next.items[i]].bad)
				memory->next.items[kept++] = memory->next.items[i];
		}
		clean = set_number(sets, memory->next.items, kept);
		sets->list.items[number].clean = clean;
	}
	pthread_mutex_unlock(&sets->lock);
	return clean;
}

void state_sets_list_successors(struct state_sets *sets, uint32_t state, uint32_t letter,
				machine_states *out)
{
	if (!letter) {
		*vec_push(out) = state;
		return;
	}
	/* it was asked before, and did not fail then */
	if (!successors(sets, state, letter, out, &sets->err))
		sets->failed = true;
}

uint32_t state_sets_code(const struct state_sets *sets, uint32_t letter)
{
	return sets->kind == STATE_SETS_SHARED ? letter : sets->letter_table[letter];
}

uint64_t state_sets_step(struct state_sets *sets, struct state_sets_memory *memory,
			 uint64_t payload, uint32_t code)
{
	switch (sets->kind) {
	case STATE_SETS_BYTE: return state_sets_step_byte(sets, payload, code);
	case STATE_SETS_WORD: return state_sets_step_word(sets, payload, code);
	}
	return state_sets_step_shared(sets, memory, payload, code);
}
