/*
 * In which function calls each critical section is entered. Two sections are taken to belong to one
 * function's body if one call is among the innermost calls of both.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CALLS_H
#define PREDICT_ATOMICITY_ATOMICITY_CALLS_H

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "order/window/window.h"

/*
 * The number of innermost calls that are compared. Three are enough for a function f that calls
 * get() and set(), which take the lock through a function lock(): when the lock is taken, the
 * innermost calls are lock, get and f.
 */
#define CALLS_NEAR 3

/*
 * The innermost calls when a lock is taken, innermost first. The calls of a stream are numbered
 * from 1. Unused elements are 0.
 */
struct call_stack {
	uint32_t near[CALLS_NEAR];
};

struct calls {
	struct map index; /* calls_hash_event() of an acquisition to position in stacks + 1 */
	VEC(struct call_stack) stacks;
};

/* Reads the trace once. */
void calls_read(struct calls *calls, const struct trace *trace);
void calls_free(struct calls *calls);

/* Were both locks taken in one call? Without recorded calls, a whole thread counts as one call. */
bool calls_share(const struct calls *calls, struct event_id a, struct event_id b);

/* The key of an event in maps. */
static inline uint64_t calls_hash_event(struct event_id id)
{
	return hash_mix(hash_mix(0, id.stream), id.index);
}

#endif
