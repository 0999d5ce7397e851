/*
 * A carrier executes a thread of the program: as a kernel thread (carrier_kernel.c) or as a fiber
 * (carrier_fiber.c). The scheduler picks the next thread; the carrier switches to it.
 */
#ifndef RUNTIME_SCHED_CARRIER_H
#define RUNTIME_SCHED_CARRIER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct carrier {
	/* Passes the turn to another thread. Returns when the caller has the turn again. */
	void (*pass)(uint32_t from, uint32_t to);
	/*
	 * Passes the turn without waiting to get it back. With kernel threads, this returns at
	 * once.
	 */
	void (*pass_last)(uint32_t from, uint32_t to);
	/* Waits for the turn: in a new thread, or one that comes back from outside. */
	void (*await_turn)(uint32_t self);
	/* Creates the thread. Returns 0 or an error number, as pthread_create does. */
	int (*create)(uint32_t number, pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*routine)(void *), void *argument);
	/*
	 * Joins a thread that the scheduler knows to have ended. Returns the same as pthread_join.
	 */
	int (*join)(uint32_t number, pthread_t thread, void **result);
	/* Called once, before the program creates a thread. May be NULL. */
	void (*start)(void);
};

extern const struct carrier carrier_kernel, carrier_fiber;

/*
 * For a signal handler: if the interrupted kernel thread waits for its turn, it looks around
 * (carrier_kernel.c) before it sleeps again. Async-signal-safe.
 */
void carrier_kernel_recheck(uint32_t self);

extern const struct carrier *carrier; /* the carrier in use */

/* True while the turn is handed over before an access: the vector registers may be live then. */
extern bool carrier_vectors_live;

#endif
