// A signal with nothing to remember it: it comes late enough only because there is work before it.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include <pthread.h>
#include <stdbool.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static bool finished;

static void *wait_for_it(void *unused)
{
	pthread_mutex_lock(&lock);
#ifdef FIXED
	while (!finished)
#endif
		pthread_cond_wait(&done, &lock); // WAITS
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t waiter;

	pthread_create(&waiter, NULL, wait_for_it, NULL);
	work(60);
	pthread_mutex_lock(&lock);
	finished = true;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	pthread_join(waiter, NULL);
	return 0;
}
