/*
 * Sets of monitor states, the payloads of cuts. All machines of a walk form one automaton: their
 * states are numbered together, and a set may hold states of several machines. A state from which
 * nothing bad can follow is left out of every set.
 *
 * state_sets_init() first searches for all states. The representation depends on their number (all
 * bad states of a machine count as one):
 * - up to 8: a set is a byte, and a step one lookup in a table of 256;
 * - up to 64: a set is a word, stepped byte by byte;
 * - more, or too many input symbols to try: sets are hash-consed and numbered, and steps and unions
 *   are cached.
 */
#ifndef MONITOR_LATTICE_STATE_SETS_H
#define MONITOR_LATTICE_STATE_SETS_H

#include "base/hash.h"
#include "base/map.h"
#include "monitor/formula/machine.h"

#include <pthread.h>

enum state_sets_kind { STATE_SETS_BYTE, STATE_SETS_WORD, STATE_SETS_SHARED };

/*
 * An input symbol. Each machine is stepped either by the label, or by `message`: 1 + the message's
 * position in the observed run.
 */
struct state_sets_symbol {
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

/* A hash-consed set. Its states are in `members`, ascending. */
struct state_sets_set {
	uint32_t at, count;
	uint32_t clean; /* the set without its bad states; UINT32_MAX: not computed yet */
};

/* This bit of a set's number says that the set has a bad state. */
#define STATE_SETS_BAD 0x80000000u

struct state_sets {
	uint8_t kind;
	const struct state_sets_machine *machines;
	uint32_t machine_count;
	const struct state_sets_symbol *symbols; /* [0] is the silent step */
	uint32_t symbol_count;
	VEC(struct state_sets_state) states;
	struct map *index; /* by machine: from the machine's state numbers to indices in `states` */
	uint64_t initial;  /* the initial payload */

	/*
	 * For masks: bit i stands for state bit_state[i]. Symbols with the same effect share a
	 * table.
	 */
	uint32_t bits, slices;
	uint64_t bad; /* the bits of a payload that mark bad states */
	/* by bit: a state; for the bad bit of a machine any of its bad states */
	uint32_t *bit_state;
	uint32_t *table_of_symbol; /* by input symbol: the index of its table */
	uint8_t *byte_tables;	   /* [table][256] */
	uint64_t *word_tables;	   /* [table][slice][256] */

	/* Hash-consed sets; all of this is protected by `lock` while workers run. */
	pthread_mutex_t lock;
	VEC(struct state_sets_set) list; /* [0] is the empty set */
	VEC(uint32_t) members;
	uint32_t *slots;
	size_t slot_mask;
	bool absorbing;
	uint32_t *bad_state; /* by machine: the bad state that stands for all its bad states */
	bool *bad_now;	     /* scratch: by machine */
	bool failed;
	struct err err;
};

/*
 * A worker's cache of steps and unions of hash-consed sets. It is direct-mapped, so that eviction
 * is free, and grows when it misses often.
 */
struct state_sets_cache {
	struct state_sets_cached {
		uint64_t key;
		uint32_t value;
	} * steps, *unions;
	unsigned bits;
	uint64_t misses;
	VEC(uint32_t) scratch;
	machine_states next;
};

/*
 * Returns false if a machine failed. With `absorbing`, each set describes one run: sets are
 * hash-consed whatever the number of states, and bad states stay in them, one for each violated
 * machine.
 */
bool state_sets_init(struct state_sets *sets, const struct state_sets_machine *machines,
		     uint32_t machine_count, const struct state_sets_symbol *symbols,
		     uint32_t symbol_count, bool absorbing, struct err *err);
void state_sets_free(struct state_sets *sets);
size_t state_sets_payload_size(const struct state_sets *sets);

void state_sets_cache_init(struct state_sets_cache *cache);
void state_sets_cache_free(struct state_sets_cache *cache);

static inline size_t state_sets_slot(const struct state_sets_cache *cache, uint64_t key)
{
	return (key ^ key >> 31) * HASH_GOLDEN >> (64 - cache->bits);
}

/* For hash-consed sets: these compute the steps and unions that the cache does not have. */
uint32_t state_sets_find_step(struct state_sets *sets, struct state_sets_cache *cache, uint32_t set,
			      uint32_t symbol);
uint32_t state_sets_find_union(struct state_sets *sets, struct state_sets_cache *cache, uint32_t a,
			       uint32_t b);

/* ---- steps of each representation, for the merge --------------------------------------------- */

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
					      struct state_sets_cache *cache, uint32_t set,
					      uint32_t code)
{
	uint64_t key = (uint64_t)set << 32 | code;
	const struct state_sets_cached *known;

	if (!set || !code)
		return set;
	known = &cache->steps[state_sets_slot(cache, key)];
	return known->key == key ? known->value : state_sets_find_step(sets, cache, set, code);
}

static inline uint32_t state_sets_union_shared(struct state_sets *sets,
					       struct state_sets_cache *cache, uint32_t a,
					       uint32_t b)
{
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	const struct state_sets_cached *known;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	known = &cache->unions[state_sets_slot(cache, key)];
	return known->key == key ? known->value
				 : state_sets_find_union(sets, cache, key >> 32, (uint32_t)key);
}

/* ---- any representation, one payload at a time ----------------------------------------------- */

/* Appends the states of a payload, including bad ones. */
void state_sets_list_states(struct state_sets *sets, uint64_t payload, machine_states *out);
/* Returns the payload without its bad states. */
uint64_t state_sets_clean(struct state_sets *sets, struct state_sets_cache *cache,
			  uint64_t payload);
/* Appends the successors of one state. A bad state stands for all bad states of its machine. */
void state_sets_list_successors(struct state_sets *sets, uint32_t state, uint32_t symbol,
				machine_states *out);
/*
 * Returns the code by which payloads are stepped: the index of the symbol's table or, for
 * hash-consed sets, the symbol itself.
 */
uint32_t state_sets_code(const struct state_sets *sets, uint32_t symbol);
uint64_t state_sets_step(struct state_sets *sets, struct state_sets_cache *cache, uint64_t payload,
			 uint32_t code);

#endif
