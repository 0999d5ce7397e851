/*
 * Waiters: the events of a window at which a thread can be blocked, what each waits for, and what
 * its thread has at that point. Both are the same in every schedule, so "blocks" is a fixed graph
 * over waiters. deadlock.c searches it for cycles, global_deadlock.c for sets of waiters in which
 * no thread can go on.
 */
#ifndef PREDICT_DEADLOCK_WAITER_H
#define PREDICT_DEADLOCK_WAITER_H

#include "order/model/clock.h"
#include "predict/driver/finding.h"

struct waiter {
	uint32_t node; /* ORDER_NONE: a pending request after the last node of its thread */
	uint32_t thread;
	uint32_t position; /* how many of its thread's nodes are inside when it is next */
	uint32_t held;	   /* in window->held */
	uint32_t required_start,
		required_count; /* in `required`: what must be inside for it to be next */
	uint32_t
		/* must be outside: the next lifetime of its object begins there; or ORDER_NONE */
		until;
	uint64_t site;
	bool fresh; /* in no earlier window */
	/* Each is ORDER_NONE unless it waits for that. Another thread has it: */
	uint32_t lock;
	bool shared;	 /* wants the lock for reading */
	bool self;	 /* pending for a lock that its own thread has: blocked for ever */
	uint32_t joined; /* thread of the model */
	uint32_t once;
	/* No thread has it: */
	uint32_t semaphore, meeting;
	uint32_t wait; /* in the model's waits */
	bool waits_for_signal;
};

/*
 * A waiter is next when its node is outside and its required nodes are inside: the node before it,
 * the creation of its thread, and the sources of edges into it (the lifetime of its object), except
 * for those that it is blocked by. A pending request is one waiter for each lifetime of its object.
 * It is next when that lifetime has begun and the following one has not.
 */
struct waiters {
	const struct window *window;
	VEC(struct waiter) items; /* by thread, in program order */
	VEC(uint32_t) required;	  /* nodes */
	uint32_t *thread_start;	  /* thread_count + 1 offsets into items */
};

void waiters_make(struct waiters *waiters, const struct window *window);
void waiters_free(struct waiters *waiters);

/* Does b's thread, when b is next, have what a waits for? False for the same thread. */
bool waiters_blocks(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/* Does this chain of held locks exclude a thread that wants the lock (`shared`: to read)? */
bool waiters_chain_blocks(const struct window *window, uint32_t held, uint32_t lock, bool shared);

/* Is the thread executing the once when `position` of its nodes are inside? */
bool waiters_runs_once(const struct window *window, uint32_t once, uint32_t thread,
		       uint32_t position);

/* Do both threads hold a lock that only one can have? Then they are never next together. */
bool waiters_exclude(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/* Must one have happened before the other is next? */
bool waiters_ordered(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b);

/* The number of the waiter's event in a claim. */
uint32_t waiters_event(const struct waiters *waiters, const struct waiter *waiter);

/*
 * The key of a finding with these waiters. Each site counts once: a third thread that is blocked
 * where two are already makes no new finding. With `every` the key is made from the events
 * themselves.
 */
uint64_t waiters_key(const struct waiters *waiters, enum finding_kind kind, const uint32_t *items,
		     size_t count, bool every);

#endif
