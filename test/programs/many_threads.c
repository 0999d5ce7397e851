// 500 threads alive at once, each with work of its own; all meet at a barrier.
// build: -pthread
// opt: -O2
// stdout: 124750
// count: 501 \|begin
#include <pthread.h>
#include <stdio.h>

#define THREADS 500

static pthread_barrier_t all;
static int slots[THREADS];

static void *run(void *slot)
{
	int *mine = slot;

	*mine = (int)(mine - slots);
	pthread_barrier_wait(&all);
	return NULL;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t small;
	int sum = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &small, run, &slots[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += slots[i];
	}
	printf("%d\n", sum);
	return 0;
}
