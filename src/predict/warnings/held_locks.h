/*
 * Which locks each thread holds along the base run: what Eraser and GoodLock both start from.
 *
 * Recursion is folded; a wait on a condition gives its mutex up and has it again when it wakes. A
 * lock is an address as long as it lives: LOCK_INIT, LOCK_DESTROY and an ALLOC over it (a BEGIN, on
 * stacks) make it another lock. What a run does that it cannot (a release by another thread, an
 * acquisition of what is held) is taken as it comes: these are warnings.
 */
#ifndef PREDICT_WARNINGS_HELD_LOCKS_H
#define PREDICT_WARNINGS_HELD_LOCKS_H

#include "base/pages.h"
#include "base/vec.h"
#include "order/base_run/base_run.h"
#include "order/window/window.h"

struct held_locks_lock {
	uint32_t lock; /* number */
	uint32_t depth;
	bool shared; /* held for reading */
	bool tried;  /* by a try or with a time limit: nobody would have waited for ever */
	struct event_id taken;
};

struct held_locks_lane {
	VEC(struct held_locks_lock) held; /* in the order in which they were taken */
	uint64_t changes;		  /* how often that list has changed */
	uint32_t waited;		  /* the mutex's depth before the wait that it is in */
};

struct held_locks {
	struct held_locks_lane *lanes; /* by position of the thread's stream */
	uint32_t lane_count;
	struct pages living;   /* address: number of the lock that is there, + 1; 32 bits */
	VEC(uint64_t) locks;   /* by number: address. 0 is nobody's, see lockset.h */
	VEC(uint32_t) writers; /* by number: lane + 1 of who holds it for writing */
};

void held_locks_open(struct held_locks *holding, const struct trace *trace);
void held_locks_close(struct held_locks *holding);

/* Follows an event. True: its thread has one lock more, the last of its list. */
bool held_locks_see(struct held_locks *holding, const struct base_run_event *event);

/* The number of the lock at an address. */
uint32_t held_locks_number(struct held_locks *holding, uint64_t address);

#endif
