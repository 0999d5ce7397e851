/*
 * The malloc family. ALLOC is recorded after a block was allocated, and FREE before it is freed. So
 * the end of a block's lifetime comes before any reuse of its memory. In C++, new and delete call
 * these functions through the C++ library.
 */
#include "runtime/memory/heap.h"

#include "runtime/sched/access_decoder.h"
#include "runtime/host/caller_instrumented.h"
#include "runtime/host/interposer.h"
#include "runtime/host/loader.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- while the real functions are being looked up -------------------------------------------- */

/* dlsym may allocate memory. While it runs, blocks come from this room and are never freed. */
#define EARLY_BYTES (64u << 10)
struct early {
	size_t size;
	size_t spare; /* makes the size of the header 16, so that blocks are aligned */
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

/* ---- blocks of the deterministic heap -------------------------------------------------------- */

static bool is_det_block(const void *block)
{
	return __builtin_expect(det_heap_contains((uintptr_t)block), 0);
}

static size_t size_of(void *block)
{
	return is_det_block(block) ? det_heap_size(block) : real()->malloc_usable_size(block);
}

/* ---- records --------------------------------------------------------------------------------- */

/*
 * Are blocks of the caller at `pc` recorded? In a controlled run, blocks of uninstrumented
 * libraries are not. Every record is a step there, and the steps of a thread must not depend on the
 * schedule, but the schedule can determine whether the C library allocates something.
 */
static bool is_recorded(uintptr_t pc)
{
	return record_on() && !loader_contains(pc) &&
	       !(sched_active && caller_instrumented_caller(pc));
}

static void *record_alloc(void *block, size_t size, uintptr_t pc)
{
	if (block && is_recorded(pc))
		record(EV_ALLOC, pc, (struct record_fields){ .a = (uintptr_t)block, .n = size });
	return block;
}

/*
 * In a controlled run the log needs the size of the block, because a free counts as an access to
 * the whole block.
 */
static void record_free(void *block, uintptr_t pc)
{
	record(EV_FREE, pc,
	       (struct record_fields){ .a = (uintptr_t)block,
				       .n = sched_active ? size_of(block) : 0 });
}

/* ---- controlled runs: blocks have deterministic addresses (det_heap.h) ----------------------- */

/* Returns NULL if this is not a controlled run, or if there is no room. */
static void *det_alloc(size_t size, size_t alignment, uintptr_t pc)
{
	if (__builtin_expect(!sched_active, 1))
		return NULL;
	return det_heap_alloc(size, alignment, !sched_on() || caller_instrumented_caller(pc));
}

/*
 * Requests the turn for a free, so that the scheduler can let a thread that still uses the block
 * run first.
 */
static void request_free(const void *block, uintptr_t pc)
{
	if (sched_on() && !caller_instrumented_caller(pc))
		sched_wait_until_enabled(
			&(struct sched_op){ .kind = EV_FREE,
					    .object = (uintptr_t)block,
					    .site = access_decoder_site(EV_FREE, pc) });
}

/*
 * Freeing an address that is no live block ends a controlled run with a fault; otherwise prints the
 * C library's message and ends the program.
 */
static void check_det_block(const void *block, uintptr_t pc)
{
	enum det_heap_state state = det_heap_state(block);

	if (state == DET_HEAP_LIVE)
		return;
	if (sched_on())
		sched_fault(CONTROL_BAD_FREE, (uintptr_t)block, access_decoder_site(EV_FREE, pc));
	static const char twice[] = "free(): double free detected\n";
	static const char none[] = "free(): invalid pointer\n";
	const char *text = state == DET_HEAP_FREED ? twice : none;
	ssize_t written = real()->write(2, text, strlen(text));
	(void)written;
	abort();
}

static void release_block(void *block)
{
	if (is_det_block(block))
		det_heap_free(block);
	else
		real()->free(block);
}

/*
 * Resizes a block. A block that grows gets spare room, so that growing it byte by byte does not
 * take quadratic time.
 */
static void *move_block(void *block, size_t size, uintptr_t pc)
{
	size_t before = size_of(block);
	void *moved = NULL;

	if (is_det_block(block) && det_heap_resize(block, size))
		return block;
	if (size > before && size < SIZE_MAX / 2)
		moved = det_alloc(size + size / 4, 1, pc);
	if (!moved)
		moved = det_alloc(size, 1, pc);
	if (!moved)
		moved = real()->malloc(size);
	if (!moved)
		return NULL;
	memcpy(moved, block, before < size ? before : size);
	release_block(block);
	return moved;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static SOOTH_TLS uintptr_t called_from;

void heap_call_from(uintptr_t pc)
{
	called_from = pc;
}

static void *heap_alloc(size_t size, uintptr_t pc)
{
	void *block = det_alloc(size, 1, pc);

	return record_alloc(block ? block : real()->malloc(size), size, pc);
}

SOOTH_API void *malloc(size_t size)
{
	if (too_early())
		return early_alloc(size);
	uintptr_t pc = called_from ? called_from : RECORD_CALLER;
	called_from = 0;
	return heap_alloc(size, pc);
}

/*
 * The zeros are recorded as a write, so that later reads find their value in the trace. Blocks of
 * the deterministic heap are zero already.
 */
SOOTH_API void *calloc(size_t count, size_t each)
{
	size_t size;
	bool too_large = __builtin_mul_overflow(count, each, &size);

	if (too_early())
		return too_large ? NULL : early_alloc(size);
	void *block = too_large ? NULL : det_alloc(size, 1, RECORD_CALLER);
	if (!block)
		block = real()->calloc(count, each);
	if (block && is_recorded(RECORD_CALLER)) {
		record_alloc(block, size, RECORD_CALLER);
		if (size)
			record(EV_FILL, RECORD_CALLER,
			       (struct record_fields){ .a = (uintptr_t)block, .n = size });
	}
	return block;
}

/*
 * Returns NULL if the C library has to allocate or to reject the call: this is not a controlled
 * run, or the alignment is not valid.
 */
static void *det_alloc_aligned(size_t alignment, size_t size, uintptr_t pc)
{
	return alignment && !(alignment & (alignment - 1)) ? det_alloc(size, alignment, pc) : NULL;
}

SOOTH_API int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *block = alignment % sizeof(void *)
			      ? NULL
			      : det_alloc_aligned(alignment, size, RECORD_CALLER);
	int result = block ? 0 : real()->posix_memalign(out, alignment, size);

	if (block)
		*out = block;
	if (result == 0) {
		transfer_wrote(out, sizeof(*out), RECORD_CALLER);
		record_alloc(*out, size, RECORD_CALLER);
	}
	return result;
}

/*
 * An interposer that allocates `size` bytes: by the expression `controlled`, or, if that gives
 * NULL, by the real function.
 */
#define ALLOCATE(name, parameters, size, controlled)                                               \
	SOOTH_API void *name(PARAMETERS parameters)                                                \
	{                                                                                          \
		void *block = controlled;                                                          \
		return record_alloc(block ? block : real()->name(ARGUMENTS parameters), size,      \
				    RECORD_CALLER);                                                \
	}

#define PAGE 4096u

ALLOCATE(aligned_alloc, (size_t, alignment, size_t, size), size,
	 det_alloc_aligned(alignment, size, RECORD_CALLER))
ALLOCATE(memalign, (size_t, alignment, size_t, size), size,
	 det_alloc_aligned(alignment, size, RECORD_CALLER))
ALLOCATE(valloc, (size_t, size), size, det_alloc(size, PAGE, RECORD_CALLER))
ALLOCATE(pvalloc, (size_t, size), size,
	 size > SIZE_MAX - PAGE
		 ? NULL
		 : det_alloc((size + PAGE - 1) & ~(size_t)(PAGE - 1), PAGE, RECORD_CALLER))

/* ---- freeing and resizing -------------------------------------------------------------------- */

static void end_lifetime(void *block, uintptr_t pc)
{
	request_free(block, pc);
	if (is_det_block(block))
		check_det_block(block, pc);
	if (is_recorded(pc))
		record_free(block, pc);
}

SOOTH_API void free(void *block)
{
	if (!block || is_early(block) || too_early())
		return;
	end_lifetime(block, RECORD_CALLER);
	release_block(block);
}

SOOTH_API size_t malloc_usable_size(void *block)
{
	return is_early(block) ? early_size(block) : block ? size_of(block) : 0;
}

static void *early_realloc(void *block, size_t size, uintptr_t pc)
{
	void *copy = too_early() ? early_alloc(size) : heap_alloc(size, pc);

	if (copy && block)
		memcpy(copy, block, early_size(block) < size ? early_size(block) : size);
	return copy;
}

/*
 * The old block ends before the real call, which may give its memory to another thread at once. If
 * the call fails, the block continues to exist; that is recorded as a new block at the same
 * address. The contents of the new block are not recorded, because that would cost a record of the
 * whole block each time it grows.
 */
static void *reallocate(void *block, size_t size, uintptr_t pc)
{
	if (too_early() || is_early(block))
		return early_realloc(block, size, pc);
	if (!block)
		return heap_alloc(size, pc);
	end_lifetime(block, pc);
	void *moved = NULL;
	if (!sched_active && !is_det_block(block))
		moved = real()->realloc(block, size);
	else if (size)
		moved = move_block(block, size, pc);
	else
		release_block(block);
	if (moved)
		return record_alloc(moved, size, pc);
	if (size)
		record_alloc(block, size_of(block), pc);
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
