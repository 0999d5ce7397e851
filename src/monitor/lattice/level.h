/*
 * Levels: cuts in ascending order of their packed keys, each with a payload (a set of monitor states)
 * and, if asked, the number of runs that reach it. They lie in chunks of fixed size, which go back to
 * their pool as soon as the merge that reads them has passed, so that less than two levels are there.
 */
#ifndef MONITOR_LATTICE_LEVEL_H
#define MONITOR_LATTICE_LEVEL_H

#include "base/vec.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a cut is kept: `words` of key, a payload of so many bytes, `limbs` of a count. */
struct level_shape {
	uint32_t words, payload, limbs;
};

struct level_chunk {
	uint64_t *keys; /* words for each cut */
	void *payloads;
	uint64_t *counts; /* limbs for each cut */
	uint32_t count, room;
	bool large;		  /* of one cut that is longer than a chunk */
	_Atomic uint32_t readers; /* ranges of a merge that may still read it */
	struct level_chunk *next; /* in the pool */
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
	uint64_t bytes, most; /* in use, spare ones too */
};

void level_pool_init(struct level_pool *pool);
void level_pool_free(struct level_pool *pool);

/* An empty chunk for such cuts. */
struct level_chunk *level_take_chunk(struct level_pool *pool, const struct level_shape *shape);
void level_give_chunk(struct level_pool *pool, struct level_chunk *chunk);

/* A place for one more cut; its number in the level's last chunk. */
uint32_t level_append(struct level_pool *pool, struct level *level);
/* All chunks back to the pool. */
void level_clear(struct level_pool *pool, struct level *level);

/* A copy that takes no more memory than it must, in one chunk of its own, out of no pool. */
void level_copy(struct level *to, const struct level *from);
void level_free_copy(struct level *copy);

uint64_t level_get_payload(const struct level_shape *shape, const struct level_chunk *chunk,
			   uint32_t at);
void level_set_payload(const struct level_shape *shape, struct level_chunk *chunk, uint32_t at,
		       uint64_t payload);

static inline size_t level_cut_bytes(const struct level_shape *shape)
{
	return 8 * ((size_t)shape->words + shape->limbs) + shape->payload;
}

#endif
