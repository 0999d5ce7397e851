/*
 * "No thread can go on" as a query: every thread is over, not created, or blocked at one of its
 * waiters.
 *
 * Each of these states is a boolean that implies where the cut is in that thread. Exactly one state
 * of a thread can hold. A blocked thread has a reason: nothing woke its wait, its semaphore is
 * empty, its barrier is not complete; or another thread is in a state in which it has what the
 * blocked thread waits for. Therefore the query needs no order atoms for the locks that are held at
 * the cut.
 */
#ifndef PREDICT_DEADLOCK_GLOBAL_QUERY_H
#define PREDICT_DEADLOCK_GLOBAL_QUERY_H

#include "predict/deadlock/waiter.h"

#include "base/map.h"
#include "order/model/query.h"

/* Booleans that are created at most once. Their key is a meaning, up to two numbers, and a mode. */
enum global_boolean {
	/* implies that the thread has the lock: a reason for another thread to be blocked */
	GLOBAL_THREAD_HAS_LOCK = 1,
	GLOBAL_THREAD_MAY_HAVE_LOCK, /* implied by having the lock; used to forbid cycles */
	GLOBAL_THREAD_MAY_RUN,	     /* the same for running a once routine */
	GLOBAL_THREAD_WANTS_LOCK,    /* implied by waiting for the lock; used to forbid cycles */
	GLOBAL_THREAD_WANTS_OTHER,   /* the same for waiting at a join or a once */
	GLOBAL_THREAD_AT_SITE,	     /* implied by being blocked at the site */
	GLOBAL_SEMAPHORE_EMPTY,
	GLOBAL_WAIT_UNWOKEN,
};

struct global_query {
	const struct window *window;
	struct waiters waiters;
	struct order_query query;
	/* Literals. 0: the thread cannot be in that state, or the literal was not created yet. */
	int32_t *at;	    /* by waiter: its thread is blocked there */
	int32_t *over;	    /* by thread: it is over */
	int32_t *blocked;   /* by thread: it is blocked; created on demand */
	int32_t *inside;    /* by node: it is inside; created on demand */
	struct map defined; /* other booleans, by meaning (global_query_slot()) */
};

/*
 * Builds the query. Returns false if no prefix can satisfy it: some thread has no possible state,
 * or no waiter can be blocked.
 */
bool global_query_make(struct global_query *g, const struct window *window,
		       const struct order_clock *clock);
void global_query_free(struct global_query *g);

typedef VEC(int32_t) global_literals;
/* Adds the clause, and frees it. */
void global_query_add_clause(struct global_query *g, global_literals *clause);

/* The literal "nothing has woken the wait". `wait` is a position in the model's waits. */
int32_t global_query_unwoken(struct global_query *g, uint32_t wait);
/* The literal "the node is inside". */
int32_t global_query_inside(struct global_query *g, uint32_t node);
void global_query_imply(struct global_query *g, int32_t a, int32_t b);
/*
 * Returns where the literal with this meaning is stored. If it is new, sets *fresh and stores 0.
 * The pointer is valid until the next call.
 */
uint64_t *global_query_slot(struct global_query *g, enum global_boolean meaning, bool mode,
			    uint32_t thread, uint32_t number, bool *fresh);

/* Sets `set` to the waiters at which threads are blocked in a solution, in the order of threads. */
typedef VEC(uint32_t) blocked_set;
void global_query_read(const struct global_query *g, const uint32_t *inside, uint32_t count,
		       blocked_set *set);

/*
 * If the set contains a cycle (each thread waits for something that the next one has), forbids that
 * cycle and every other one in which the same threads wait for the same things. Returns whether
 * there was a cycle.
 */
bool global_query_forbid_cycle(struct global_query *g, const blocked_set *set);

/* Forbids this set; with `sites`, all sets with the same threads blocked at the same sites. */
void global_query_forbid(struct global_query *g, const blocked_set *set, bool sites);

#endif
