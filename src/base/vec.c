/* Growing an array: its room doubles. */
#include "base/vec.h"

#include "base/mem.h"

void *vec_grow(void *items, size_t count, size_t *room, size_t size, size_t more)
{
	size_t want;

	if (*room - count >= more)
		return items;
	want = *room ? *room * 2 : 8;
	if (want < count + more)
		want = count + more;
	*room = want;
	return mem_resize(items, want, size);
}
