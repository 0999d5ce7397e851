// Three at a table, each takes the left fork first. The fixed ones have one who is left-handed.
// explore: deadlock SECOND
// build: -pthread
#include <pthread.h>
#include <stdint.h>

#include "work.h"

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {
	PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER,
};
static int meals[SEATS];

static void *dine(void *seat)
{
	int me = (int)(intptr_t)seat;
	int first = me, second = (me + 1) % SEATS;

#ifdef FIXED
	if (me == SEATS - 1) {
		first = 0;
		second = me;
	}
#endif
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]); // SECOND
	meals[me]++;
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	pthread_t threads[SEATS];

	for (int i = 0; i < SEATS; i++) {
		pthread_create(&threads[i], NULL, dine, (void *)(intptr_t)i);
		work(10);
	}
	for (int i = 0; i < SEATS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
