/*
 * A level of the lattice: cuts in ascending order of their packed keys. Each cut has a payload (a
 * set of monitor states) and, if runs are counted, the number of runs that reach it.
 *
 * Levels are stored in chunks of fixed size. A chunk returns to its pool as soon as the merge that
 * reads it has passed it, so less than two levels are in memory at any time.
 */
#ifndef MONITOR_LATTICE_LEVEL_H
#define MONITOR_LATTICE_LEVEL_H

#include "base/vec.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How a cut is stored: `words` words of key, `payload` bytes of payload, `limbs` words of run
 * count.
 */
struct level_shape {
	uint32_t words, payload, limbs;
};

struct level_chunk {
	uint64_t *keys; /* `words` for each cut */
	void *payloads;
	uint64_t *counts; /* `limbs` for each cut */
	uint32_t count, room;
	bool large;		  /* holds one cut that is larger than LEVEL_CHUNK_BYTES */
	_Atomic uint32_t readers; /* number of ranges of the merge that may still read the chunk */
	struct level_chunk *next; /* next spare chunk in the pool */
};

struct level {
	struct level_shape shape;
	uint64_t number;
	uint64_t count;
	VEC(struct level_chunk *) chunks;
};

#define LEVEL_CHUNK_BYTES (1u << 20)

struct level_pool {
	pthread_mutex_t lock;
	struct level_chunk *spare;
};

void level_pool_init(struct level_pool *pool);
void level_pool_free(struct level_pool *pool);

/* Returns an empty chunk for cuts of this shape, from the pool if it has one. */
struct level_chunk *level_take_chunk(struct level_pool *pool, const struct level_shape *shape);
void level_give_chunk(struct level_pool *pool, struct level_chunk *chunk);

/* Adds an uninitialised cut. Returns its index in the level's last chunk. */
uint32_t level_append(struct level_pool *pool, struct level *level);
/*
 * Appends a cut with the payload and the count of cut `index` of `chunk`. The shape of the chunk is
 * that of the level, except for the keys. Returns the place for the new cut's key, which the caller
 * sets.
 */
uint64_t *level_append_copy(struct level_pool *pool, struct level *level,
			    const struct level_chunk *chunk, uint32_t index);
/* Returns all chunks to the pool. */
void level_clear(struct level_pool *pool, struct level *level);

/* Copies a level into one chunk of exactly the needed size, which does not belong to a pool. */
void level_copy(struct level *to, const struct level *from);
void level_free_copy(struct level *copy);

uint64_t level_get_payload(const struct level_shape *shape, const struct level_chunk *chunk,
			   uint32_t at);
void level_set_payload(const struct level_shape *shape, struct level_chunk *chunk, uint32_t at,
		       uint64_t payload);

static inline unsigned level_bits_for(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

static inline size_t level_cut_bytes(const struct level_shape *shape)
{
	return 8 * ((size_t)shape->words + shape->limbs) + shape->payload;
}

#endif
