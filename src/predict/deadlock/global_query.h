/*
 * "No thread can go on" as a query: every thread is over, not created, or blocked at one of its
 * waiters.
 *
 * Each of these states is a boolean that implies where the cut is in that thread, and exactly one
 * state of a thread can hold. A blocked thread has a reason: nothing woke its wait, its semaphore
 * is empty, its barrier is not complete; or another thread, itself in one of its states, has what
 * it waits for. Therefore the locks that are held at the cut need no order atoms of their own.
 */
#ifndef PREDICT_DEADLOCK_GLOBAL_QUERY_H
#define PREDICT_DEADLOCK_GLOBAL_QUERY_H

#include "predict/deadlock/waiter.h"

#include "base/map.h"
#include "order/model/query.h"

/* Booleans that are created at most once. Their key is a meaning, up to two numbers, and a mode. */
enum global_boolean {
	/* implies that the thread has the lock: a reason to be blocked */
	GLOBAL_THREAD_HAS_LOCK = 1,
	GLOBAL_THREAD_MAY_HAVE_LOCK, /* implied by having the lock: in a cycle */
	GLOBAL_THREAD_MAY_RUN,	     /* the same for a once */
	GLOBAL_THREAD_WANTS_LOCK,    /* implied by being blocked for the lock: in a cycle */
	GLOBAL_THREAD_WANTS_OTHER,   /* the same for a join and a once */
	GLOBAL_THREAD_AT_SITE,	     /* implied by being blocked there */
	GLOBAL_SEMAPHORE_EMPTY,
	GLOBAL_WAIT_UNWOKEN,
};

struct global_query {
	const struct window *window;
	struct waiters waiters;
	struct order_query query;
	/* Literals; 0: the thread cannot be in that state */
	int32_t *at;	    /* for each waiter: its thread is blocked there */
	int32_t *over;	    /* for each thread */
	int32_t *blocked;   /* for each thread; created on demand */
	int32_t *inside;    /* for each node: it is inside; created on demand */
	struct map defined; /* further booleans, by their meaning */
};

/*
 * Returns false when no such prefix exists: a thread has no possible state, or there is nothing to
 * wait for.
 */
bool global_query_make(struct global_query *g, const struct window *window,
		       const struct order_clock *clock);
void global_query_free(struct global_query *g);

typedef VEC(int32_t) global_literals;
/* Adds the clause, and frees it. */
void global_query_add_clause(struct global_query *g, global_literals *clause);

/* The literal "nothing has woken the wait" (in the model's waits). */
int32_t global_query_unwoken(struct global_query *g, uint32_t wait);
/* The literal "the node is inside". */
int32_t global_query_inside(struct global_query *g, uint32_t node);
void global_query_imply(struct global_query *g, int32_t a, int32_t b);
/* The slot for the literal with that meaning, 0 if `fresh`. Valid until the next call. */
uint64_t *global_query_slot(struct global_query *g, enum global_boolean meaning, bool mode,
			    uint32_t thread, uint32_t number, bool *fresh);

/* Reads from a solution which threads are blocked: sets `set` to waiters, by thread. */
typedef VEC(uint32_t) blocked_set;
void global_query_read(const struct global_query *g, const uint32_t *inside, uint32_t count,
		       blocked_set *set);

/*
 * Is there a cycle in the set: threads each of which waits for what the next one has? Then forbids
 * it, and with it every cycle in which the same threads wait for the same things.
 */
bool global_query_forbid_cycle(struct global_query *g, const blocked_set *set);

/* Forbids this set; with `sites` all sets with the same threads blocked at the same sites. */
void global_query_forbid(struct global_query *g, const blocked_set *set, bool sites);

#endif
