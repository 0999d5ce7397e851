// A home-made barrier without generations: a fast thread comes round again before a slow one has
// seen that the first round is over, and then waits for it.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include <pthread.h>

#include "work.h"

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int arrived, round_number;

static void meet(void)
{
	int mine;

	pthread_mutex_lock(&lock);
	mine = round_number;
	if (++arrived == THREADS) {
		arrived = 0;
		round_number++;
		pthread_cond_broadcast(&all);
	}
#ifdef FIXED
	while (mine == round_number)
		pthread_cond_wait(&all, &lock);
#else
	if (mine == round_number)
		while (arrived != 0)
			pthread_cond_wait(&all, &lock); // WAITS
#endif
	pthread_mutex_unlock(&lock);
}

static void *go(void *unused)
{
	meet();
	work(60);
	meet();
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, go, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
