/*
 * A growing array of any type:
 *
 *	VEC(struct block) blocks = { 0 };
 *	*vec_push(&blocks) = block;
 *	for (size_t i = 0; i < blocks.count; i++) … blocks.items[i] …
 *	vec_free(&blocks);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, room;                                                                \
	}

/* Adds an item, uninitialised, and returns a pointer to it, which is valid until the next push. */
#define vec_push(v)                                                                                \
	((v)->items = vec_grow((v)->items, (v)->count, &(v)->room, sizeof *(v)->items, 1),         \
	 &(v)->items[(v)->count++])

/* Makes room for `n` more items without counting them, and returns a pointer to the first. */
#define vec_reserve(v, n)                                                                          \
	((v)->items = vec_grow((v)->items, (v)->count, &(v)->room, sizeof *(v)->items, (n)),       \
	 &(v)->items[(v)->count])

/* Adds `n` items of the array `list`. */
#define vec_append(v, list, n)                                                                     \
	do {                                                                                       \
		if (n)                                                                             \
			memcpy(vec_reserve(v, n), 1 ? (list) : (v)->items,                         \
			       (n) * sizeof *(v)->items);                                          \
		(v)->count += (n);                                                                 \
	} while (0)

/* Makes `v` a copy of `from`, another VEC. */
#define vec_copy(v, from)                                                                          \
	do {                                                                                       \
		(v)->count = 0;                                                                    \
		vec_append(v, (from)->items, (from)->count);                                       \
	} while (0)

#define vec_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->room = 0)

/* Frees an array of pointers, and what they point at. */
#define vec_free_all(v)                                                                            \
	do {                                                                                       \
		for (size_t vec_i = 0; vec_i < (v)->count; vec_i++)                                \
			free((v)->items[vec_i]);                                                   \
		vec_free(v);                                                                       \
	} while (0)

void *vec_grow(void *items, size_t count, size_t *room, size_t size, size_t more);

#endif
