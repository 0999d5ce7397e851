/*
 * The events of a window at which a thread can be blocked, what each waits for and what its
 * thread has there. Both are the same in every schedule, so who blocks whom is a fixed graph over
 * waiters: deadlock.c looks for its cycles, stuck.c for sets that leave nobody to go on.
 */
#ifndef PREDICT_DEADLOCK_WAITER_H
#define PREDICT_DEADLOCK_WAITER_H

#include "order/model/clock.h"
#include "predict/driver/finding.h"

struct waiter {
	uint32_t node; /* ORDER_NONE: pending, behind the last node of its thread */
	uint32_t thread;
	uint32_t position; /* how many of its thread's nodes are inside when it is next */
	uint32_t held;	   /* in window->held */
	uint32_t need_start, need_count; /* in needs: what must be inside for it to be next */
	uint32_t
		until; /* and this node outside: its object's next life begins there; or ORDER_NONE */
	uint64_t site;
	bool fresh; /* in no earlier window */
	/* Each ORDER_NONE unless it waits for that. Others have it: */
	uint32_t lock;
	bool shared;	 /* wants the lock for reading */
	bool self;	 /* pending for a lock that its own thread has: blocked for ever */
	uint32_t joined; /* thread of the model */
	uint32_t once;
	/* Nobody has it: */
	uint32_t semaphore, meeting;
	uint32_t wait; /* in the model's waits; `deaf`: it waits for a signal, else just the lock */
	bool deaf;
};

/*
 * A waiter is next when its node is outside and its needs are inside: the node before it, the
 * creation of its thread, and where edges into it come from (the life of its object), but for
 * those that it is blocked by. A request that a thread hangs at is a waiter for each life of what
 * it asks for, next when that life has begun and the one behind it has not.
 */
struct waiters {
	const struct window *window;
	VEC(struct waiter) items; /* by thread, in program order */
	VEC(uint32_t) needs;	  /* nodes */
	uint32_t *thread_start;	  /* thread_count + 1 offsets into items */
};

void waiters_make(struct waiters *waiters, const struct window *window);
void waiters_free(struct waiters *waiters);

/* Does b's thread, when b is next, have what a waits for? False for the same thread. */
bool waiters_blocks(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/* Does a thread that holds this chain keep a lock from who wants it (`shared`: for reading)? */
bool waiters_chain_blocks(const struct window *window, uint32_t held, uint32_t lock, bool shared);

/* Does the thread run the once with so many of its nodes inside? */
bool waiters_runs_once(const struct window *window, uint32_t once, uint32_t thread,
		       uint32_t position);

/* Do both threads hold a lock that only one can have? Then they are never next together. */
bool waiters_exclude(const struct waiters *waiters, const struct waiter *a, const struct waiter *b);

/* Must one be over before the other is next? */
bool waiters_ordered(const struct waiters *waiters, const struct order_clock *clock,
		     const struct waiter *a, const struct waiter *b);

/* How it is named in a claim. */
uint32_t waiters_event(const struct waiters *waiters, const struct waiter *waiter);

/*
 * The key of a finding with these events. Each site counts once: that three workers hang where
 * two can, too, is no news. With `every` the events themselves make the key.
 */
uint64_t waiters_key(const struct waiters *waiters, enum finding_kind kind, const uint32_t *items,
		     size_t count, bool every);

#endif
