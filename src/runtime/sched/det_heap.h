/*
 * Deterministic addresses in a controlled run: the addresses of a thread's heap blocks and stack
 * depend only on the thread and on what that thread did before, not on the schedule. Blocks are
 * never reused, so an access to a freed block is detected.
 *
 * Each thread has a region of 4 GiB at a fixed address (main has 8 TiB) and room for a stack. They
 * take no memory until they are used.
 */
#ifndef RUNTIME_SCHED_DET_HEAP_H
#define RUNTIME_SCHED_DET_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DET_HEAP_THREADS 16384u /* including main; further threads get no region */
#define DET_HEAP_BASE (8ull << 40)
#define DET_HEAP_MAIN_BYTES (8ull << 40)
#define DET_HEAP_THREAD_BYTES (4ull << 30)
/* address space of a usual stack; larger stacks are in the region */
#define DET_HEAP_STACK_BYTES (16ull << 20)
#define DET_HEAP_STACKS                                                                            \
	(DET_HEAP_BASE + DET_HEAP_MAIN_BYTES + (DET_HEAP_THREADS - 1) * DET_HEAP_THREAD_BYTES)
#define DET_HEAP_BYTES (DET_HEAP_STACKS + DET_HEAP_THREADS * DET_HEAP_STACK_BYTES - DET_HEAP_BASE)

/*
 * Reserves the memory; later calls have no effect. False: not possible, so the C library allocates
 * blocks as usual.
 */
bool det_heap_start(void);

extern uint64_t det_heap_bytes; /* bytes reserved from DET_HEAP_BASE on; 0 until det_heap_start() */

/* Is this address in the mapping? Also works in a process that takes no turns (after fork). */
static inline bool det_heap_contains(uintptr_t address)
{
	return address - DET_HEAP_BASE < det_heap_bytes;
}

/*
 * Returns memory for the runtime's data of a thread, right above its usual stack; NULL: none. It is
 * not restored between runs (see below).
 */
#define DET_HEAP_PRIVATE_BYTES 65536u
void *det_heap_private(uint32_t thread);

/* ---- the heap (memory/heap.c) ---------------------------------------------------------------- */

/*
 * Allocates a block for the calling thread; alignment is a power of two. `foreign`: for the C
 * library's own use, from a separate part of the region. NULL: use the C library instead.
 */
void *det_heap_alloc(size_t size, size_t alignment, bool foreign);

/* Changes the size of a block in place if possible. Otherwise returns false and changes nothing. */
bool det_heap_resize(void *block, size_t size);

enum det_heap_state { DET_HEAP_LIVE, DET_HEAP_FREED, DET_HEAP_NO_BLOCK };
enum det_heap_state det_heap_state(const void *block);
size_t det_heap_size(const void *block); /* of a live block: the requested size, rounded up */
void det_heap_free(void *block);	 /* a live block */

/* Does this range touch a freed block? Uses general registers only. */
bool det_heap_is_freed(uint64_t address, uint64_t size);

/* ---- stacks ---------------------------------------------------------------------------------- */

/*
 * Makes the thread's stack of `bytes`, with `guard` inaccessible bytes below. Returns the stack's
 * lowest usable address, which is the same in each run. NULL: not possible, for example because the
 * stack and its guard exceed 256 MiB. May be called again for the same thread.
 */
void *det_heap_stack(uint32_t thread, size_t bytes, size_t guard);

/*
 * From now on, 16 stacks share a guard. That saves a system call and two mappings for each thread,
 * which is a quarter of the cost of a thread where a process is forked for each run. A stack that
 * overflows then overwrites the stacks below it before the process crashes. Also, the memory of a
 * stack is not released when its thread ends: the run ends soon, or the next one uses that stack
 * again.
 */
void det_heap_share_guards(void);

/*
 * For pthread_create: makes `own` a copy of `asked` (may be NULL), but with the deterministic
 * stack. Returns false if the program supplies a stack or there is no room; `own` need not be
 * destroyed then. The C library puts the thread-local variables at the stack's upper end.
 */
bool det_heap_stack_attributes(uint32_t thread, const pthread_attr_t *asked, pthread_attr_t *own);

/* The thread has ended: releases the memory of its stack. */
void det_heap_stack_done(uint32_t thread);

/*
 * For persistent runs: returns the ranges in which memory was ever allocated, with their counters
 * and bits. All other memory of the mapping is zero, except stacks and det_heap_private().
 */
struct det_heap_extent {
	uintptr_t base, used;
};
unsigned det_heap_extents(struct det_heap_extent *to, unsigned most); /* returns their number */

#endif
