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

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, room;                                                                \
	}

/*
 * Adds an item and returns a pointer to it. Its contents are undefined, and the pointer is valid
 * until the next push.
 */
#define vec_push(v)                                                                                \
	((v)->items = vec_grow((v)->items, (v)->count, &(v)->room, sizeof *(v)->items, 1),         \
	 &(v)->items[(v)->count++])

/* Makes room for `n` more items without counting them, and returns a pointer to the first. */
#define vec_reserve(v, n)                                                                          \
	((v)->items = vec_grow((v)->items, (v)->count, &(v)->room, sizeof *(v)->items, (n)),       \
	 &(v)->items[(v)->count])

#define vec_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->room = 0)

void *vec_grow(void *items, size_t count, size_t *room, size_t size, size_t more);

#endif
