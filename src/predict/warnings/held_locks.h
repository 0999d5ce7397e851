/*
 * Which locks each thread holds along the base run: the basis of Eraser and GoodLock.
 *
 * A lock that a thread takes several times is listed once. A wait on a condition releases its mutex
 * and has it again when it wakes up. A lock is an address during its lifetime: LOCK_INIT,
 * LOCK_DESTROY, an ALLOC or MAP of its memory and, on stacks, a BEGIN make it another lock.
 * Impossible events (a release by another thread, an acquisition of a lock that is held) are
 * accepted as they are: the results are only warnings.
 */
#ifndef PREDICT_WARNINGS_HELD_LOCKS_H
#define PREDICT_WARNINGS_HELD_LOCKS_H

#include "base/pages.h"
#include "base/vec.h"
#include "order/base_run/base_run.h"
#include "order/window/window.h"

struct held_lock {
	uint32_t lock; /* number of the lock */
	uint32_t depth;
	bool shared; /* held for reading */
	/* taken by a try or with a time limit: the thread would not have waited for ever */
	bool tried;
	struct event_id taken;
};

struct thread_locks {
	VEC(struct held_lock) held; /* in the order in which they were taken */
	uint64_t changes;	    /* how often that list has changed */
	uint32_t waited; /* how often the thread held the mutex before its present wait */
};

struct held_locks {
	struct thread_locks *threads; /* by position of the thread's stream */
	uint32_t thread_count;
	struct pages living; /* address to number of the lock that is there, + 1; 32 bits */
	/*
	 * by number of a lock: its address. Number 0 is not a lock of the program (LOCKSET_ATOMIC).
	 */
	VEC(uint64_t) locks;
	VEC(uint32_t) writers; /* by number: the thread that holds it for writing, + 1 */
};

void held_locks_open(struct held_locks *holding, const struct trace *trace);
void held_locks_close(struct held_locks *holding);

/*
 * Follows an event. Returns true if its thread holds one lock more, which is then the last of its
 * list.
 */
bool held_locks_follow(struct held_locks *holding, const struct base_run_event *event);

/* The number of the lock at an address. */
uint32_t held_locks_number(struct held_locks *holding, uint64_t address);

#endif
