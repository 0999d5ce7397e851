/*
 * Sets of monitor states, the payload of a cut. All machines of a walk are one automaton: their states
 * get numbers of their own, and a set may hold states of several machines. States from which nothing
 * bad can come are left out of every set.
 *
 * The states are looked for beforehand. Up to 8 of them (bad ones are one for each machine): a set is a
 * byte and a step a table of 256; up to 64: a word, stepped byte by byte; more, or too many letters to
 * try: sets are hash-consed, numbered, and steps and unions are remembered.
 */
#ifndef MONITOR_LATTICE_STATE_SETS_H
#define MONITOR_LATTICE_STATE_SETS_H

#include "base/map.h"
#include "monitor/formula/machine.h"

#include <pthread.h>

enum state_sets_kind { STATE_SETS_BYTE, STATE_SETS_WORD, STATE_SETS_SHARED };

/* What a step is to machines: the label, or the message's place in the observed run, from 1. */
struct state_sets_letter {
	uint32_t label, message;
};
struct state_sets_machine {
	struct machine *machine;
	bool by_message;
};

struct state_sets_state {
	uint32_t machine, state;
	bool bad, bad_at_end;
};

/* A hash-consed set: its states stand in `members`, ascending. */
struct state_sets_set {
	uint32_t at, count;
	uint32_t clean; /* the set without bad states */
};

/* This bit of a number says that a bad state is in the set. */
#define STATE_SETS_BAD 0x80000000u

struct state_sets {
	uint8_t kind;
	const struct state_sets_machine *machines;
	uint32_t machine_count;
	const struct state_sets_letter *letters; /* [0] is silence */
	uint32_t letter_count;
	VEC(struct state_sets_state) states;
	struct map *index; /* by machine: its numbers of states to ours */
	uint64_t initial;  /* a payload */

	/* masks: bits are places in `bit_state`; tables by class of letters */
	uint32_t bits, slices;
	uint64_t bad;		/* of a payload: what says that a bad state is in */
	uint32_t *bit_state;	/* by bit: a state; of a bad bit any bad state of its machine */
	uint32_t *letter_table; /* by letter: its table */
	uint8_t *byte_tables;	/* [table][256] */
	uint64_t *word_tables;	/* [table][slice][256] */

	/* hash-consed; all of it under `lock` while workers run */
	pthread_mutex_t lock;
	VEC(struct state_sets_set) list; /* [0] is empty */
	VEC(uint32_t) members;
	uint32_t *slots;
	size_t slot_mask;
	bool absorbing;
	uint32_t *bad_state; /* by machine: the bad state that stands for all of its */
	bool *bad_now;	     /* scratch: by machine */
	bool failed;
	struct err err;
};

/*
 * What a worker remembers of steps and unions of hash-consed sets: direct-mapped, so that forgetting
 * is free; larger when it misses often.
 */
struct state_sets_memory {
	struct state_sets_known {
		uint64_t key;
		uint32_t value;
	} * steps, *unions;
	unsigned bits;
	uint64_t misses;
	VEC(uint32_t) scratch;
	machine_states next;
};

/*
 * False: a machine failed. `absorbing`: for sets that are those of one run: hash-consed whatever the
 * number of states, and bad states stay in them, one for each machine that was violated.
 */
bool state_sets_init(struct state_sets *sets, const struct state_sets_machine *machines,
		     uint32_t machine_count, const struct state_sets_letter *letters,
		     uint32_t letter_count, bool absorbing, struct err *err);
void state_sets_free(struct state_sets *sets);
size_t state_sets_payload_size(const struct state_sets *sets);

void state_sets_memory_init(struct state_sets_memory *memory);
void state_sets_memory_free(struct state_sets_memory *memory);

static inline size_t state_sets_slot(const struct state_sets_memory *memory, uint64_t key)
{
	return (key ^ key >> 31) * 0x9e3779b97f4a7c15u >> (64 - memory->bits);
}

/* Hash-consed: the slow ways, when nothing is remembered. */
uint32_t state_sets_find_step(struct state_sets *sets, struct state_sets_memory *memory,
			      uint32_t set, uint32_t letter);
uint32_t state_sets_find_union(struct state_sets *sets, struct state_sets_memory *memory,
			       uint32_t a, uint32_t b);

/* ---- each kind's steps, for the merge ---- */

static inline uint8_t state_sets_step_byte(const struct state_sets *sets, uint8_t set,
					   uint32_t code)
{
	return sets->byte_tables[(size_t)code * 256 + set];
}

static inline uint64_t state_sets_step_word(const struct state_sets *sets, uint64_t set,
					    uint32_t code)
{
	const uint64_t *table = &sets->word_tables[(size_t)code * sets->slices * 256];
	uint64_t to = 0;

	for (uint32_t s = 0; s < sets->slices; s++, table += 256, set >>= 8)
		to |= table[set & 255];
	return to;
}

static inline uint32_t state_sets_step_shared(struct state_sets *sets,
					      struct state_sets_memory *memory, uint32_t set,
					      uint32_t code)
{
	uint64_t key = (uint64_t)set << 32 | code;
	const struct state_sets_known *known;

	if (!set || !code)
		return set;
	known = &memory->steps[state_sets_slot(memory, key)];
	return known->key == key ? known->value : state_sets_find_step(sets, memory, set, code);
}

static inline uint32_t state_sets_union_shared(struct state_sets *sets,
					       struct state_sets_memory *memory, uint32_t a,
					       uint32_t b)
{
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	const struct state_sets_known *known;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	known = &memory->unions[state_sets_slot(memory, key)];
	return known->key == key ? known->value
				 : state_sets_find_union(sets, memory, key >> 32, (uint32_t)key);
}

/* ---- any kind, one at a time ---- */

/* Numbers of the states of a payload, bad ones too; appended. */
void state_sets_list_states(struct state_sets *sets, uint64_t payload, machine_states *out);
/* The payload without its bad states. */
uint64_t state_sets_clean(struct state_sets *sets, struct state_sets_memory *memory,
			  uint64_t payload);
/* Steps of one state: appended. A bad state stands for all of its machine. */
void state_sets_list_successors(struct state_sets *sets, uint32_t state, uint32_t letter,
				machine_states *out);
/* How payloads are stepped by a letter: the number of its table, or, hash-consed, the letter. */
uint32_t state_sets_code(const struct state_sets *sets, uint32_t letter);
uint64_t state_sets_step(struct state_sets *sets, struct state_sets_memory *memory,
			 uint64_t payload, uint32_t code);

#endif
