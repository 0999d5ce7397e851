// serial: no
/*
 * A thread that has its processor whenever it wants it, and one that has what is left, meet again and again at
 * one variable. Whoever has the processor must not wait in a loop for what the other holds.
 */
#include "say.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define ROUNDS 2000

static _Atomic unsigned long shared;
static _Atomic int over;

static void *urgent(void *unused)
{
	struct sched_param high = { .sched_priority = 10 };
	struct timespec nap = { .tv_nsec = 100000 };

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &high); /* where it is allowed */
	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&nap, NULL);
		for (int k = 0; k < 4; k++)
			atomic_fetch_add(&shared, 1u << 16);
	}
	atomic_store(&over, 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&thread, NULL, urgent, NULL);
	while (!atomic_load_explicit(&over, memory_order_relaxed))
		for (int i = 0; i < 100; i++)
			atomic_fetch_xor(&shared, 1);
	pthread_join(thread, NULL);
	SAY(atomic_load(&shared) >> 16);
	return 0;
}
