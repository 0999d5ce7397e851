// pthread_once from four threads: run once, seen by all.
// build: -pthread
// stdout: runs 1 seen 4
// count: 1 \|oncebegin\(
// count: 1 \|onceend\(
// count: 3 \|once\(
// count: 1 \|w\(runs@4\)=1\|
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, seen[4];

static void start(void)
{
	runs++;
}

static void *run(void *slot)
{
	pthread_once(&once, start);
	*(int *)slot = runs;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, &seen[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("runs %d seen %d\n", runs, seen[0] + seen[1] + seen[2] + seen[3]);
	return 0;
}
