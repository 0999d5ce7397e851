#include "tally.h"

#include <pthread.h>
#include <stdio.h>

static void *run(void *count)
{
	for (int i = 0; i < *(int *)count; i++)
		tally_add(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int count = 100;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, &count);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("total %d\n", tally_total());
	return 0;
}
