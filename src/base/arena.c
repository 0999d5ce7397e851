/* Arenas: a list of blocks, each twice as large as the one before, up to 1 MiB. */
#include "base/arena.h"
#include "base/mem.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN alignof(max_align_t)
#define FIRST_BLOCK 4096u
#define LARGEST_BLOCK (1u << 20)

struct arena_block {
	struct arena_block *older;
	alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	size = size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	if (arena->room - arena->used < size) {
		size_t room = arena->room ? arena->room * 2 : FIRST_BLOCK;

		if (room > LARGEST_BLOCK)
			room = LARGEST_BLOCK;
		if (room < size)
			room = size;
		struct arena_block *block = mem_zalloc(1, sizeof *block + room);
		block->older = arena->blocks;
		arena->blocks = block;
		arena->used = 0;
		arena->room = room;
	}
	void *piece = arena->blocks->bytes + arena->used;
	arena->used += size;
	return piece;
}

void *arena_copy(struct arena *arena, const void *from, size_t size)
{
	return size ? memcpy(arena_alloc(arena, size), from, size) : NULL;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (length)
		memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *older = arena->blocks->older;

		free(arena->blocks);
		arena->blocks = older;
	}
	arena->used = arena->room = 0;
}
