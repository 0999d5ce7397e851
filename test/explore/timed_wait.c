// After a timed wait the result is used, whether the wait was woken or its time was over.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int letters;

static void *fetch(void *unused)
{
	struct timespec deadline;
	int status = 0;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 100;
	pthread_mutex_lock(&lock);
	while (letters == 0 && status != ETIMEDOUT)
		status = pthread_cond_timedwait(&arrived, &lock, &deadline);
#ifdef FIXED
	if (letters > 0)
		letters--;
#else
	assert(letters > 0); // FAILS
	letters--;
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *deliver(void *unused)
{
	pthread_mutex_lock(&lock);
	letters++;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t fetcher, deliverer;

	pthread_create(&fetcher, NULL, fetch, NULL);
	work(10);
	pthread_create(&deliverer, NULL, deliver, NULL);
	pthread_join(fetcher, NULL);
	pthread_join(deliverer, NULL);
	return 0;
}
