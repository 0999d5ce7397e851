// Thread-local variables are one per thread, and pointers to them can be shared.
// build: -pthread
// stdout: 10 20 main 1
#include <pthread.h>
#include <stdio.h>

static __thread int mine = 1;

static void *set(void *n)
{
	mine = *(int *)n;
	mine *= 10;
	*(int *)n = mine;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int n[2] = { 1, 2 };

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, set, &n[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d main %d\n", n[0], n[1], mine);
	return 0;
}
