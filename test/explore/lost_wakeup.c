// The flag is looked at outside the lock: set and signalled between the look and the wait, it is lost.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;

static void *wait_for_it(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
#else
	if (!ready) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&done, &lock); // WAITS
		pthread_mutex_unlock(&lock);
	}
#endif
	return unused;
}

static void *announce(void *unused)
{
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t waiter, announcer;

	pthread_create(&announcer, NULL, announce, NULL);
	work(10);
	pthread_create(&waiter, NULL, wait_for_it, NULL);
	pthread_join(waiter, NULL);
	pthread_join(announcer, NULL);
	return 0;
}
