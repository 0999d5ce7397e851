// The block is freed behind the join of whoever uses it: nothing to find.
// build: -pthread
// stdout: 7
// predict: silent
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int seen;

static void *use(void *arg)
{
	seen = *(int *)arg;
	return NULL;
}

int main(void)
{
	int *number = malloc(sizeof *number);
	pthread_t thread;

	*number = 7;
	pthread_create(&thread, NULL, use, number);
	pthread_join(thread, NULL);
	free(number);
	printf("%d\n", seen);
	return 0;
}
