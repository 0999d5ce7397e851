// A wait inside two monitors gives up the inner lock alone: nobody gets through the outer one to
// bring what it waits for.
// explore: lost-signal|deadlock WAITS|OUTER
// build: -pthread
#include <pthread.h>

#include "work.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *take(void *unused)
{
	pthread_mutex_lock(&outer);
#ifdef FIXED
	pthread_mutex_unlock(&outer);
#endif
	pthread_mutex_lock(&inner);
	while (items == 0)
		pthread_cond_wait(&filled, &inner); // WAITS
	items--;
	pthread_mutex_unlock(&inner);
#ifndef FIXED
	pthread_mutex_unlock(&outer);
#endif
	return unused;
}

static void *put(void *unused)
{
	pthread_mutex_lock(&outer); // OUTER
	pthread_mutex_lock(&inner);
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return unused;
}

int main(void)
{
	pthread_t putter, taker;

	pthread_create(&putter, NULL, put, NULL);
	work(60);
	pthread_create(&taker, NULL, take, NULL);
	pthread_join(putter, NULL);
	pthread_join(taker, NULL);
	return 0;
}
