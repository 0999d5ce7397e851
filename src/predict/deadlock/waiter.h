/*
 * Waiters: the events of a window at which a thread can be blocked. A waiter says what it waits for
 * and what its thread has at that point. Both are the same in every schedule, so "blocks" is a
 * fixed graph over waiters. deadlock.c searches it for cycles. global_deadlock.c searches for sets
 * of waiters such that no thread can go on.
 */
#ifndef PREDICT_DEADLOCK_WAITER_H
#define PREDICT_DEADLOCK_WAITER_H

#include "order/model/clock.h"
#include "predict/driver/finding.h"

struct waiter {
	uint32_t node; /* ORDER_NONE: a pending request after the last node of its thread */
	uint32_t thread;
	uint32_t position; /* number of its thread's nodes that are inside when it is next */
	uint32_t held;	   /* innermost lock that its thread holds: in window->held */
	/* range in `required`: what must be inside for it to be next */
	uint32_t required_start, required_count;
	/* node that begins the next lifetime of its object and must be outside; or ORDER_NONE */
	uint32_t until;
	uint64_t site;
	bool fresh; /* in no earlier window */
	/*
	 * What it waits for; ORDER_NONE if it does not wait for such a thing. These belong to
	 * another thread:
	 */
	uint32_t lock;
	bool shared;	 /* wants the lock for reading */
	bool self;	 /* pending for a lock that its own thread holds: blocked for ever */
	uint32_t joined; /* number of the thread in the model */
	uint32_t once;
	/* These belong to no thread: */
	uint32_t semaphore, meeting;
	uint32_t wait; /* in the model's waits */
	bool waits_for_signal;
};

/*
 * A waiter is next when its node is outside and its required nodes are inside. These are the node
 * before it in its thread (for the first node, the creation of the thread) and the sources of edges
 * into it, except for edges that only express what it waits for. A pending request becomes one
 * waiter for each lifetime of its object: that waiter is next when its lifetime has begun and the
 * following one has not.
 */
struct waiters {
	const struct window *window;
	VEC(struct waiter) items; /* by thread, in program order */
	VEC(uint32_t) required;	  /* nodes */
	uint32_t *thread_start;	  /* thread_count + 1 offsets into items */
};

void waiters_make(struct waiters *waiters, const struct window *window);
void waiters_free(struct waiters *waiters);

/* When b is next, does b's thread have what a waits for? False for the same thread. */
bool waiters_blocks(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/*
 * Does a thread that holds the chain of locks `held` block a thread that wants `lock` (`shared`: to
 * read)?
 */
bool waiters_chain_blocks(const struct window *window, uint32_t held, uint32_t lock, bool shared);

/* Is the thread running the once routine when `position` of its nodes are inside? */
bool waiters_runs_once(const struct window *window, uint32_t once, uint32_t thread,
		       uint32_t position);

/* Do both threads hold a lock that only one can have? Then they are never next together. */
bool waiters_exclude(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/* Must one of the two have happened before the other is next? */
bool waiters_ordered(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b);

/* The waiter's event, as analysis_claim.events refers to it. */
uint32_t waiters_event(const struct waiters *waiters, const struct waiter *waiter);

/*
 * The key of a finding with these waiters. It contains each site once: a deadlock with one more
 * thread that is blocked at a site that it contains already is not a new finding. With `every` the
 * key is made from the events themselves.
 */
uint64_t waiters_key(const struct waiters *waiters, enum finding_kind kind, const uint32_t *items,
		     size_t count, bool every);

#endif
