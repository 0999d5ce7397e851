/*
 * The calls in which critical sections are entered. Two sections may belong to one function's body
 * if one call is near the top of both stacks.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CALLS_H
#define PREDICT_ATOMICITY_ATOMICITY_CALLS_H

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "order/window/window.h"

/*
 * The number of innermost calls that count as near: a function that takes the lock itself, or calls
 * a function that does, or calls one that calls such a function (get() and set() around lock() and
 * unlock()).
 */
#define CALLS_NEAR 3

/* Numbers of calls in their stream, innermost first; 0 where there are fewer. */
struct call_stack {
	uint32_t near[CALLS_NEAR];
};

struct calls {
	struct map index; /* hash of the event that took the lock to position in stacks + 1 */
	VEC(struct call_stack) stacks;
};

/* Reads the trace once. */
void calls_read(struct calls *calls, const struct trace *trace);
void calls_free(struct calls *calls);

/* Were both locks taken in one call? Without recorded calls, a whole thread counts as one call. */
bool calls_share(const struct calls *calls, struct event_id a, struct event_id b);

/* A key for maps of events. */
static inline uint64_t calls_hash_event(struct event_id id)
{
	return hash_mix(hash_mix(0, id.stream), id.index);
}

#endif
