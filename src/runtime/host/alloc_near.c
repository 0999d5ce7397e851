/* Finds free address space near a module: see alloc_near.h. */
#include "runtime/host/alloc_near.h"

#include <sys/mman.h>

#define STEP (1ull << 20) /* distance between the addresses that are tried */

static void *map_at(uint64_t address, size_t bytes)
{
	void *map = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (map != (void *)address) { /* an old kernel treats the address as a hint only */
		munmap(map, bytes);
		return NULL;
	}
	return map;
}

/* Tries the addresses below the module first: the heap (brk) of a program grows above it. */
void *alloc_near_map(uint64_t base, uint64_t end, size_t bytes)
{
	uint64_t below = base & ~(STEP - 1), above = (end + STEP) & ~(STEP - 1);
	uint64_t room = (bytes + STEP - 1) & ~(STEP - 1);

	for (uint64_t far = room; far + (end - base) + room + STEP < ALLOC_NEAR_REACH;
	     far += STEP) {
		void *map = below > far ? map_at(below - far, bytes) : NULL;
		if (!map)
			map = map_at(above + far, bytes);
		if (map)
			return map;
	}
	return NULL;
}
