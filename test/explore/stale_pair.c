// The ends of a range are each set under the lock, but not both at once.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low = 0, high = 10;

static void *move(void *unused)
{
	pthread_mutex_lock(&lock);
	low = 20;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	high = 30;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *look(void *unused)
{
	pthread_mutex_lock(&lock);
	assert(low <= high); // FAILS
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t mover, looker;

	pthread_create(&mover, NULL, move, NULL);
	work(10);
	pthread_create(&looker, NULL, look, NULL);
	pthread_join(mover, NULL);
	pthread_join(looker, NULL);
	return 0;
}
