/* turnover COUNT: as many threads, four at a time, each of which does a little and ends in its own way. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *add(void *way)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	if (way)
		pthread_exit(way);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	pthread_t threads[4];

	for (int i = 0; i < count; i += 4) {
		for (int k = 0; k < 4; k++)
			if (pthread_create(&threads[k], NULL, add, k % 2 ? &total : NULL))
				return 1;
		for (int k = 0; k < 4; k++)
			pthread_join(threads[k], NULL);
	}
	printf("%lu\n", total);
	return 0;
}
