/*
 * The malloc family. ALLOC is recorded after the block was got and FREE before it is given back,
 * so that in time the end of a block comes before its memory is used again. C++'s new and delete
 * come here through the C++ library.
 */
#include "runtime/heap.h"

#include "runtime/loader.h"
#include "runtime/real.h"
#include "runtime/record.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- while the real functions are being looked up ----------------------------------------- */

/* dlsym may allocate. What it gets comes from here and is never given back. */
#define EARLY_BYTES (64u << 10)
struct early {
	size_t size;
	size_t spare; /* keeps blocks aligned to 16 */
};
static _Alignas(16) unsigned char early_room[EARLY_BYTES];
static _Atomic size_t early_used;

static bool is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early_room < EARLY_BYTES;
}

static size_t early_size(const void *block)
{
	return ((const struct early *)block)[-1].size;
}

static void *early_alloc(size_t size)
{
	size_t whole = sizeof(struct early) + ((size + 15) & ~(size_t)15);

	if (size > EARLY_BYTES || atomic_load(&early_used) + whole > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	size_t at = atomic_fetch_add(&early_used, whole);
	if (at + whole > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	struct early *early = (struct early *)(early_room + at);
	early->size = size;
	return early + 1;
}

static bool too_early(void)
{
	return __builtin_expect(real_searching, 0);
}

/* ---- records ------------------------------------------------------------------------------ */

static bool is_recorded(uintptr_t pc)
{
	return record_on() && !loader_contains(pc);
}

static void *allocated(void *block, size_t size, uintptr_t pc)
{
	if (block && is_recorded(pc))
		record(EV_ALLOC, pc, (struct record_fields){ .a = (uintptr_t)block, .n = size });
	return block;
}

static void record_free(const void *block, uintptr_t pc)
{
	record(EV_FREE, pc, (struct record_fields){ .a = (uintptr_t)block });
}

void *heap_alloc(size_t size, uintptr_t pc)
{
	return allocated(real()->malloc(size), size, pc);
}

/* ---- allocation --------------------------------------------------------------------------- */

SOOTH_API void *malloc(size_t size)
{
	if (too_early())
		return early_alloc(size);
	return allocated(real()->malloc(size), size, RECORD_CALLER);
}

/* The zeros are a write like any other: later reads see them. */
SOOTH_API void *calloc(size_t count, size_t each)
{
	size_t size;

	if (too_early())
		return __builtin_mul_overflow(count, each, &size) ? NULL : early_alloc(size);
	void *block = real()->calloc(count, each);
	if (block && is_recorded(RECORD_CALLER)) {
		size = count * each;
		allocated(block, size, RECORD_CALLER);
		if (size)
			record(EV_FILL, RECORD_CALLER,
			       (struct record_fields){ .a = (uintptr_t)block, .n = size });
	}
	return block;
}

SOOTH_API int posix_memalign(void **out, size_t alignment, size_t size)
{
	int result = real()->posix_memalign(out, alignment, size);

	if (result == 0)
		allocated(*out, size, RECORD_CALLER);
	return result;
}

SOOTH_API void *aligned_alloc(size_t alignment, size_t size)
{
	return allocated(real()->aligned_alloc(alignment, size), size, RECORD_CALLER);
}

SOOTH_API void *memalign(size_t alignment, size_t size)
{
	return allocated(real()->memalign(alignment, size), size, RECORD_CALLER);
}

SOOTH_API void *valloc(size_t size)
{
	return allocated(real()->valloc(size), size, RECORD_CALLER);
}

SOOTH_API void *pvalloc(size_t size)
{
	return allocated(real()->pvalloc(size), size, RECORD_CALLER);
}

/* ---- the rest of a block's life ----------------------------------------------------------- */

SOOTH_API void free(void *block)
{
	if (!block || is_early(block) || too_early())
		return;
	if (is_recorded(RECORD_CALLER))
		record_free(block, RECORD_CALLER);
	real()->free(block);
}

SOOTH_API size_t malloc_usable_size(void *block)
{
	return is_early(block) ? early_size(block) : real()->malloc_usable_size(block);
}

static void *early_realloc(void *block, size_t size, uintptr_t pc)
{
	void *copy = too_early() ? early_alloc(size) : heap_alloc(size, pc);

	if (copy && block)
		memcpy(copy, block, early_size(block) < size ? early_size(block) : size);
	return copy;
}

/*
 * The old block ends before the real call, which may give its memory to another thread at once.
 * If the call fails the block goes on: that is recorded as a new block at the same place. The
 * contents are not recorded: they would cost the whole block each time it grows.
 */
static void *reallocate(void *block, size_t size, uintptr_t pc)
{
	if (too_early() || is_early(block))
		return early_realloc(block, size, pc);
	bool ended = block && is_recorded(pc);
	if (ended)
		record_free(block, pc);
	void *moved = real()->realloc(block, size);
	if (moved)
		return allocated(moved, size, pc);
	if (ended && size)
		allocated(block, real()->malloc_usable_size(block), pc);
	return NULL;
}

SOOTH_API void *realloc(void *block, size_t size)
{
	return reallocate(block, size, RECORD_CALLER);
}

SOOTH_API void *reallocarray(void *block, size_t count, size_t each)
{
	size_t size;

	if (__builtin_mul_overflow(count, each, &size)) {
		errno = ENOMEM;
		return NULL;
	}
	return reallocate(block, size, RECORD_CALLER);
}
