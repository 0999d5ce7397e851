/*
 * Where things lie in a controlled run: heap blocks and stacks at addresses that follow from the
 * thread and what it did before, not from the schedule. Blocks are not used again, so an access
 * to a freed one is seen.
 *
 * Each thread has a region of 4 GiB at a fixed place (main one of 8 TiB) and room for a stack; nothing
 * of it takes memory until it is used.
 */
#ifndef RUNTIME_SCHED_DET_HEAP_H
#define RUNTIME_SCHED_DET_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DET_HEAP_THREADS 16384u /* main included; others find no place here */
#define DET_HEAP_BASE (8ull << 40)
#define DET_HEAP_MAIN_BYTES (8ull << 40)
#define DET_HEAP_THREAD_BYTES (4ull << 30)
#define DET_HEAP_STACK_BYTES (16ull << 20) /* usual ones; larger ones lie in the region */
#define DET_HEAP_STACKS                                                                            \
	(DET_HEAP_BASE + DET_HEAP_MAIN_BYTES + (DET_HEAP_THREADS - 1) * DET_HEAP_THREAD_BYTES)
#define DET_HEAP_BYTES (DET_HEAP_STACKS + DET_HEAP_THREADS * DET_HEAP_STACK_BYTES - DET_HEAP_BASE)

/* Makes room, once. False: it cannot be had; blocks come from the C library as ever. */
bool det_heap_start(void);

extern uint64_t det_heap_bytes; /* that there are from DET_HEAP_BASE on; 0 until det_heap_start */

/* Is this address one of ours? True also in a process that takes no turns any more (fork). */
static inline bool det_heap_contains(uintptr_t address)
{
	return address - DET_HEAP_BASE < det_heap_bytes;
}

/*
 * Room for what the runtime itself keeps of a thread, right above its usual stack; NULL: none. Not to
 * be restored (see below).
 */
#define DET_HEAP_PRIVATE_BYTES 65536u
void *det_heap_private(uint32_t thread);

/* ---- the heap (heap.c) ---- */

/*
 * A block for the calling thread; alignment is a power of two. `foreign`: for the C library's own
 * use, from a part of the region of its own. NULL: ask the C library.
 */
void *det_heap_alloc(size_t size, size_t alignment, bool foreign);

/* The same place with another size, if that can be; else false, and nothing was changed. */
bool det_heap_resize(void *block, size_t size);

enum det_heap_state { DET_HEAP_LIVE, DET_HEAP_FREED, DET_HEAP_NO_BLOCK };
enum det_heap_state det_heap_state(const void *block);
size_t det_heap_size(const void *block); /* of a live block: what was asked for, rounded up */
void det_heap_free(void *block);	 /* a live block */

/* Does this range touch a block that was freed? General registers only. */
bool det_heap_is_freed(uint64_t address, uint64_t size);

/* ---- stacks ---- */

/*
 * The stack of a thread, for `bytes` with `guard` bytes below that cannot be touched: its lowest
 * usable address, or NULL when it is too large for its place (256 MiB). The same in each run, and
 * it may be asked for again.
 */
void *det_heap_stack(uint32_t thread, size_t bytes, size_t guard);

/*
 * From now on guards are shared by 16 stacks. That saves a system call and two mappings for each
 * thread, a quarter of what a thread costs where a process is forked for each run; a stack that
 * overflows then goes through its neighbours before it ends the process. And a stack that is done
 * keeps what is in it: the run ends soon, or the next one has that stack again.
 */
void det_heap_share_guards(void);

/*
 * For pthread_create: makes `own` as `asked` (or NULL) says, but with that stack. False, and there is
 * nothing to destroy, when the program brings a stack of its own or there is no place. The C
 * library puts the thread-local variables at its upper end.
 */
bool det_heap_stack_attributes(uint32_t thread, const pthread_attr_t *asked, pthread_attr_t *own);

/* The thread is gone: its stack's memory may go. */
void det_heap_stack_done(uint32_t thread);

/*
 * ---- persistent runs: what was ever handed out, and what belongs to it ----
 * All beyond `used`, and all else here but stacks and det_heap_private, is zero.
 */
struct det_heap_extent {
	uintptr_t base, used;
};
unsigned det_heap_extents(struct det_heap_extent *to,
			  unsigned most); /* returns how many there are */

#endif
