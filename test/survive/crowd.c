/*
 * crowd THREADS STEPS: threads alive at once, each with STEPS to record while all are there, and then
 * as many again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MOST 4000

static pthread_barrier_t all;
static unsigned cells[THREADS_MOST];
static unsigned steps;
static unsigned long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *cell)
{
	volatile unsigned *mine = cell;

	for (int round = 0; round < 2; round++) {
		pthread_barrier_wait(&all);
		for (unsigned i = 0; i < steps; i++)
			*mine += i;
	}
	pthread_mutex_lock(&lock);
	total += *mine;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t threads[THREADS_MOST];
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t small;

	steps = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, run, &cells[i]))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", total);
	return 0;
}
