/*
 * What carries a thread of the program: a kernel thread (carrier_kernel.c) or a fiber
 * (carrier_fiber.c). The scheduler decides who; a carrier does it.
 */
#ifndef RUNTIME_SCHED_CARRIER_H
#define RUNTIME_SCHED_CARRIER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct carrier {
	/* From the calling thread to another; returns when the caller has the turn again. */
	void (*pass)(uint32_t from, uint32_t to);
	/* The same, but the caller is over: kernel threads return, fibers never come back. */
	void (*pass_last)(uint32_t from, uint32_t to);
	/* A new thread waits here until its first turn. */
	void (*await_first)(uint32_t self);
	/* Makes the thread; 0 or an errno, as pthread_create. */
	int (*create)(uint32_t number, pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*routine)(void *), void *argument);
	/* The other is over for the scheduler: collect it. As pthread_join. */
	int (*join)(uint32_t number, pthread_t thread, void **result);
	/* Before the first thread is made, in the process that will run. NULL: nothing to do. */
	void (*start)(void);
};

extern const struct carrier carrier_kernel, carrier_fiber;

/* The calling kernel thread, if it waits, looks around before it sleeps. Async-signal-safe. */
void carrier_kernel_stir(uint32_t self);

extern const struct carrier *carrier; /* the one in use */

/* A turn is handed over in front of an access: the vector registers may be live. */
extern bool carrier_vectors_live;

#endif
