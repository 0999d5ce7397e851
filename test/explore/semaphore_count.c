// A semaphore as a mutex that starts with two.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include "work.h"

static sem_t guard;
static int inside;

static void *enter(void *unused)
{
	sem_wait(&guard);
	inside++;
	assert(inside == 1); // FAILS
	inside--;
	sem_post(&guard);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

#ifdef FIXED
	sem_init(&guard, 0, 1);
#else
	sem_init(&guard, 0, 2);
#endif
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, enter, NULL);
		work(10);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
