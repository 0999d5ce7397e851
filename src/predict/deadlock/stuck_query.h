/*
 * "Nobody goes on" as a query: every thread is over, not created, or blocked at one of its waiters.
 *
 * Each of these options is a boolean that implies where the cut is in that thread, and exactly one
 * of a thread's can hold. A blocked thread has a reason: nothing woke its wait, its semaphore is
 * empty, its meeting not complete; or another thread, itself in one of its options, has what it
 * waits for. So who holds which lock at the cut needs no order atoms of its own.
 */
#ifndef PREDICT_DEADLOCK_STUCK_QUERY_H
#define PREDICT_DEADLOCK_STUCK_QUERY_H

#include "predict/deadlock/waiter.h"

#include "base/map.h"
#include "order/model/query.h"

/* Booleans that are made at most once, by their meaning, up to two numbers and a mode. */
enum stuck_meaning {
	STUCK_THREAD_HAS_LOCK = 1,  /* implies that it does: a reason to be blocked */
	STUCK_THREAD_MAY_HAVE_LOCK, /* implied by having it: in a cycle */
	STUCK_THREAD_MAY_RUN,	    /* the same for a once */
	STUCK_THREAD_WANTS_LOCK,    /* implied by being blocked for it: in a cycle */
	STUCK_THREAD_WANTS_OTHER,   /* the same for a join and a once */
	STUCK_THREAD_AT_SITE,	    /* implied by being blocked there */
	STUCK_SEMAPHORE_EMPTY,
	STUCK_WAIT_DEAF,
};

struct stuck_query {
	const struct window *window;
	struct waiters waiters;
	struct order_query query;
	/* Literals; 0: not an option */
	int32_t *at;	    /* for each waiter: its thread is blocked there */
	int32_t *over;	    /* for each thread */
	int32_t *blocked;   /* for each thread; made when asked for */
	int32_t *inside;    /* for each node: it is inside; made when asked for */
	struct map defined; /* further booleans, by what they mean */
};

/* False when no such prefix can be: a thread has no option, or there is nothing to wait for. */
bool stuck_query_make(struct stuck_query *stuck, const struct window *window,
		      const struct order_clock *clock);
void stuck_query_free(struct stuck_query *stuck);

/* Nothing has woken the wait (in the model's waits). */
int32_t stuck_query_deaf(struct stuck_query *stuck, uint32_t wait);
/* A node is inside. */
int32_t stuck_query_inside(struct stuck_query *stuck, uint32_t node);
void stuck_query_imply(struct stuck_query *stuck, int32_t a, int32_t b);
/* Where the literal with that meaning is kept; `fresh`: it has none yet. Good until the next. */
uint64_t *stuck_query_define(struct stuck_query *stuck, enum stuck_meaning meaning, bool mode,
			     uint32_t thread, uint32_t number, bool *fresh);

/* Who is blocked after a prefix that satisfies the query: waiters, by thread. */
typedef VEC(uint32_t) stuck_set;
void stuck_query_read(const struct stuck_query *stuck, const uint32_t *inside, uint32_t count,
		      stuck_set *set);

/*
 * Is there a cycle in the set: threads each of which waits for what the next has? Then forbids it,
 * and all that have the same threads wait for the same things.
 */
bool stuck_query_forbid_cycle(struct stuck_query *stuck, const stuck_set *set);

/* Forbids this set; with `sites` also those where the same threads hang at the same sites. */
void stuck_query_forbid(struct stuck_query *stuck, const stuck_set *set, bool sites);

#endif
