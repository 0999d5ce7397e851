/* Memory that is freed all at once. Pieces are zeroed and fit for any type; none moves. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* the newest first */
	size_t used, room;	    /* of the newest */
};

void *arena_alloc(struct arena *arena, size_t size);

/* A copy of `size` bytes; NULL for none. */
void *arena_copy(struct arena *arena, const void *from, size_t size);

/* The same with a NUL behind them, also for none. */
char *arena_text(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

#endif
