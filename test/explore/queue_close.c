// A consumer that looks whether the queue is closed before it looks whether it is empty.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued, handled;
static bool closed;

static bool finished(void)
{
#ifdef FIXED
	return closed && queued == 0;
#else
	return closed;
#endif
}

static void *consume(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!finished()) {
		if (queued > 0) {
			queued--;
			handled++;
		} else {
			pthread_cond_wait(&changed, &lock);
		}
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

static void produce(void)
{
	pthread_mutex_lock(&lock);
	queued++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	work(60);
}

int main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	produce();
	produce();
	pthread_mutex_lock(&lock);
	closed = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(consumer, NULL);
	assert(handled == 2); // FAILS
	return 0;
}
