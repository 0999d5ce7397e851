/* Memory of levels: chunks, their pool, appending and copying cuts. */
#include "monitor/lattice/level.h"

#include "base/mem.h"

#include <string.h>

void level_pool_init(struct level_pool *pool)
{
	*pool = (struct level_pool){ 0 };
	pthread_mutex_init(&pool->lock, NULL);
}

void level_pool_free(struct level_pool *pool)
{
	while (pool->spare) {
		struct level_chunk *chunk = pool->spare;

		pool->spare = chunk->next;
		free(chunk->keys);
		free(chunk);
	}
	pthread_mutex_destroy(&pool->lock);
}

static void shape_chunk(struct level_chunk *chunk, const struct level_shape *shape, size_t room)
{
	chunk->counts = chunk->keys + room * shape->words;
	chunk->payloads = chunk->counts + room * shape->limbs;
	chunk->room = room;
	chunk->count = 0;
}

struct level_chunk *level_take_chunk(struct level_pool *pool, const struct level_shape *shape)
{
	/* A cut with a long count can be larger than a chunk. It then gets a chunk of its own. */
	size_t each = level_cut_bytes(shape), room = LEVEL_CHUNK_BYTES / each;
	struct level_chunk *chunk = NULL;

	if (room) {
		pthread_mutex_lock(&pool->lock);
		chunk = pool->spare;
		if (chunk)
			pool->spare = chunk->next;
		pthread_mutex_unlock(&pool->lock);
	}
	if (!chunk) {
		chunk = mem_zalloc(1, sizeof *chunk);
		chunk->keys = mem_alloc(room ? LEVEL_CHUNK_BYTES : each);
		chunk->large = !room;
	}
	shape_chunk(chunk, shape, room ? room : 1);
	return chunk;
}

void level_give_chunk(struct level_pool *pool, struct level_chunk *chunk)
{
	if (chunk->large) {
		free(chunk->keys);
		free(chunk);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	chunk->next = pool->spare;
	pool->spare = chunk;
	pthread_mutex_unlock(&pool->lock);
}

uint32_t level_append(struct level_pool *pool, struct level *level)
{
	struct level_chunk *last =
		level->chunks.count ? level->chunks.items[level->chunks.count - 1] : NULL;

	if (!last || last->count == last->room) {
		last = level_take_chunk(pool, &level->shape);
		*vec_push(&level->chunks) = last;
	}
	level->count++;
	return last->count++;
}

uint64_t *level_append_copy(struct level_pool *pool, struct level *level,
			    const struct level_chunk *chunk, uint32_t index)
{
	const struct level_shape *shape = &level->shape;
	uint32_t at = level_append(pool, level);
	struct level_chunk *into = level->chunks.items[level->chunks.count - 1];

	level_set_payload(shape, into, at, level_get_payload(shape, chunk, index));
	memcpy(&into->counts[(size_t)at * shape->limbs],
	       &chunk->counts[(size_t)index * shape->limbs], shape->limbs * 8ul);
	return &into->keys[(size_t)at * shape->words];
}

void level_clear(struct level_pool *pool, struct level *level)
{
	for (size_t i = 0; i < level->chunks.count; i++) {
		if (level->chunks.items[i])
			level_give_chunk(pool, level->chunks.items[i]);
	}
	vec_free(&level->chunks);
	level->count = 0;
}

void level_copy(struct level *to, const struct level *from)
{
	struct level_chunk *all = mem_zalloc(1, sizeof *all);
	const struct level_shape *shape = &from->shape;

	all->keys = mem_alloc(level_cut_bytes(shape) * (from->count ? from->count : 1));
	shape_chunk(all, shape, from->count);
	for (size_t i = 0; i < from->chunks.count; i++) {
		const struct level_chunk *chunk = from->chunks.items[i];

		memcpy(all->keys + (size_t)all->count * shape->words, chunk->keys,
		       (size_t)chunk->count * shape->words * 8);
		memcpy(all->counts + (size_t)all->count * shape->limbs, chunk->counts,
		       (size_t)chunk->count * shape->limbs * 8);
		memcpy((uint8_t *)all->payloads + (size_t)all->count * shape->payload,
		       chunk->payloads, (size_t)chunk->count * shape->payload);
		all->count += chunk->count;
	}
	*to = (struct level){ .shape = *shape, .number = from->number, .count = from->count };
	*vec_push(&to->chunks) = all;
}

void level_free_copy(struct level *copy)
{
	for (size_t i = 0; i < copy->chunks.count; i++) {
		free(copy->chunks.items[i]->keys);
		free(copy->chunks.items[i]);
	}
	vec_free(&copy->chunks);
}

uint64_t level_get_payload(const struct level_shape *shape, const struct level_chunk *chunk,
			   uint32_t at)
{
	switch (shape->payload) {
	case 1: return ((const uint8_t *)chunk->payloads)[at];
	case 4: return ((const uint32_t *)chunk->payloads)[at];
	}
	return ((const uint64_t *)chunk->payloads)[at];
}

void level_set_payload(const struct level_shape *shape, struct level_chunk *chunk, uint32_t at,
		       uint64_t payload)
{
	switch (shape->payload) {
	case 1: ((uint8_t *)chunk->payloads)[at] = payload; break;
	case 4: ((uint32_t *)chunk->payloads)[at] = payload; break;
	default: ((uint64_t *)chunk->payloads)[at] = payload;
	}
}
