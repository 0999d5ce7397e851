/*
 * An arena: allocations that are freed all at once. Each allocation is zeroed, aligned for any
 * type, and never moves.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used, room;	    /* bytes of the newest block */
};

void *arena_alloc(struct arena *arena, size_t size);

/* Returns a copy of `size` bytes, or NULL if `size` is 0. */
void *arena_copy(struct arena *arena, const void *from, size_t size);

/* Returns a copy of `length` bytes with a NUL after them, also if `length` is 0. */
char *arena_text(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

#endif
