/*
 * 500 threads alive at once, each with more to record than one buffer holds: while they wait for
 * each other, and then again.
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 500
#define STEPS 5000

static pthread_barrier_t all;
static unsigned cells[THREADS];
static unsigned long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *cell)
{
	volatile unsigned *mine = cell;

	for (int round = 0; round < 2; round++) {
		pthread_barrier_wait(&all);
		for (unsigned i = 0; i < STEPS; i++)
			*mine += i;
	}
	pthread_mutex_lock(&lock);
	total += *mine;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &small, run, &cells[i]))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", total);
	return 0;
}
