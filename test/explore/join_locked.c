// A worker is joined under the lock that it needs once more.
// explore: deadlock JOINS|NEEDS
// build: -pthread
#include <pthread.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 1;

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock); // NEEDS
	jobs--;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, serve, NULL);
	work(60);
#ifndef FIXED
	pthread_mutex_lock(&lock);
#endif
	pthread_join(worker, NULL); // JOINS
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	jobs = 0;
	pthread_mutex_unlock(&lock);
	return 0;
}
