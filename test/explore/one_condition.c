// A bounded buffer with one condition for "not full" and "not empty": a signal that was meant for a
// producer wakes a consumer, who goes to sleep again, and nobody is left to wake the producer.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include <pthread.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void *put_or_get(void *put)
{
	pthread_mutex_lock(&lock);
	while (full == (put != NULL))
		pthread_cond_wait(&changed, &lock); // WAITS
	full = put != NULL;
#ifdef FIXED
	pthread_cond_broadcast(&changed);
#else
	pthread_cond_signal(&changed);
#endif
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, put_or_get, i % 2 ? NULL : &lock);
		work(10);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
