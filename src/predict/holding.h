/*
 * Which locks each thread holds along the base run: what Eraser and GoodLock both start from.
 *
 * Recursion is folded; a wait on a condition gives its mutex up and has it again when it wakes. A
 * lock is an address as long as it lives: LOCK_INIT, LOCK_DESTROY and an ALLOC over it (a BEGIN, on
 * stacks) make it another lock. What a run does that it cannot (a release by another thread, an
 * acquisition of what is held) is taken as it comes: these are warnings.
 */
#ifndef PREDICT_HOLDING_H
#define PREDICT_HOLDING_H

#include "base/pages.h"
#include "base/vec.h"
#include "order/feed.h"
#include "order/window.h"

struct holding_lock {
	uint32_t lock; /* number */
	uint32_t depth;
	bool shared; /* held for reading */
	bool tried;  /* by a try or with a time limit: nobody would have waited for ever */
	struct window_id taken;
};

struct holding_lane {
	VEC(struct holding_lock) held; /* in the order in which they were taken */
	uint64_t changes;	       /* how often that list has changed */
	uint32_t waited;	       /* the mutex's depth before the wait that it is in */
};

struct holding {
	struct holding_lane *lanes; /* by position of the thread's stream */
	uint32_t lane_count;
	struct pages living;   /* address: number of the lock that is there, + 1; 32 bits */
	VEC(uint64_t) locks;   /* by number: address. 0 is nobody's, see lockset.h */
	VEC(uint32_t) writers; /* by number: lane + 1 of who holds it for writing */
};

void holding_open(struct holding *holding, const struct trace *trace);
void holding_close(struct holding *holding);

/* Follows an event. True: its thread has one lock more, the last of its list. */
bool holding_see(struct holding *holding, const struct feed_event *event);

/* The number of the lock at an address. */
uint32_t holding_number(struct holding *holding, uint64_t address);

#endif
