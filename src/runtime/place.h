/*
 * Where things lie in a controlled run: heap blocks and stacks at addresses that follow from the
 * thread and what it did before, not from the schedule. Blocks are not used again, so an access
 * to a freed one is seen.
 *
 * Each thread has a region of 4 GiB at a fixed place (main one of 8 TiB) and room for a stack; nothing
 * of it takes memory until it is used.
 */
#ifndef RUNTIME_PLACE_H
#define RUNTIME_PLACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_THREADS 16384u /* main included; others find no place here */
#define PLACE_BASE (8ull << 40)
#define PLACE_MAIN_BYTES (8ull << 40)
#define PLACE_THREAD_BYTES (4ull << 30)
#define PLACE_STACK_BYTES (16ull << 20) /* usual ones; larger ones lie in the region */
#define PLACE_STACKS (PLACE_BASE + PLACE_MAIN_BYTES + (PLACE_THREADS - 1) * PLACE_THREAD_BYTES)
#define PLACE_BYTES (PLACE_STACKS + PLACE_THREADS * PLACE_STACK_BYTES - PLACE_BASE)

/* Makes room, once. False: it cannot be had; blocks come from the C library as ever. */
bool place_start(void);

extern uint64_t place_bytes; /* that there are from PLACE_BASE on; 0 until place_start */

/* Is this address one of ours? True also in a process that takes no turns any more (fork). */
static inline bool place_contains(uintptr_t address)
{
	return address - PLACE_BASE < place_bytes;
}

/*
 * Room for what the runtime itself keeps of a thread, right above its usual stack; NULL: none. Not to
 * be restored (see below).
 */
#define PLACE_PRIVATE_BYTES 65536u
void *place_private(uint32_t thread);

/* ---- the heap (heap.c) ---- */

/*
 * A block for the calling thread; alignment is a power of two. `foreign`: for the C library's own
 * use, from a part of the region of its own. NULL: ask the C library.
 */
void *place_alloc(size_t size, size_t alignment, bool foreign);

/* The same place with another size, if that can be; else false, and nothing was changed. */
bool place_resize(void *block, size_t size);

enum place_state { PLACE_LIVE, PLACE_FREED, PLACE_NO_BLOCK };
enum place_state place_state(const void *block);
size_t place_size(const void *block); /* of a live block: what was asked for, rounded up */
void place_free(void *block);	      /* a live block */

/* Does this range touch a block that was freed? General registers only. */
bool place_is_freed(uint64_t address, uint64_t size);

/* ---- stacks ---- */

/*
 * The stack of a thread, for `bytes` with `guard` bytes below that cannot be touched: its lowest
 * usable address, or NULL when it is too large for its place (256 MiB). The same in each run, and
 * it may be asked for again.
 */
void *place_stack(uint32_t thread, size_t bytes, size_t guard);

/*
 * From now on guards are shared by 16 stacks. That saves a system call and two mappings for each
 * thread, a quarter of what a thread costs where a process is forked for each run; a stack that
 * overflows then goes through its neighbours before it ends the process. And a stack that is done
 * keeps what is in it: the run ends soon, or the next one has that stack again.
 */
void place_share_guards(void);

/*
 * For pthread_create: makes `own` as `asked` (or NULL) says, but with that stack. False, and there is
 * nothing to destroy, when the program brings a stack of its own or there is no place. The C
 * library puts the thread-local variables at its upper end.
 */
bool place_stack_attributes(uint32_t thread, const pthread_attr_t *asked, pthread_attr_t *own);

/* The thread is gone: its stack's memory may go. */
void place_stack_done(uint32_t thread);

/*
 * ---- persistent runs: what was ever handed out, and what belongs to it ----
 * All beyond `used`, and all else here but stacks and place_private, is zero.
 */
struct place_extent {
	uintptr_t base, used;
};
unsigned place_extents(struct place_extent *to, unsigned most); /* returns how many there are */

#endif
