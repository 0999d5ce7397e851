/*
 * In which calls critical sections are entered: two of them belong to one function's body, perhaps,
 * if one call is near on both stacks.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CALLS_H
#define PREDICT_ATOMICITY_ATOMICITY_CALLS_H

#include "base/map.h"
#include "base/vec.h"
#include "order/window/window.h"

/*
 * So many calls from the innermost one up count as near: a function that takes the lock itself, or
 * calls one that does, or one that calls such a one (get() and set() around lock() and unlock()).
 */
#define CALLS_NEAR 3

/* Numbers of calls in their stream, innermost first; 0 where there are fewer. */
struct call_stack {
	uint32_t near[CALLS_NEAR];
};

struct calls {
	struct map index; /* hash of the event that took the lock: position in stacks, + 1 */
	VEC(struct call_stack) stacks;
};

/* Reads the trace once. */
void calls_read(struct calls *calls, const struct trace *trace);
void calls_free(struct calls *calls);

/* Were the locks taken in one call? Where no calls are known, all of a thread is one. */
bool calls_share(const struct calls *calls, struct event_id a, struct event_id b);

#endif
