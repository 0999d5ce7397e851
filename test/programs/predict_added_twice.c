// Two pointers, each to a variable or to a local one, and both to the local one in this run. A compiler that would read the variable once, for either of
// them, and then choose twice must not be believed.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>

int shared;
static volatile int no;

__attribute__((noinline)) static int sum(int first, int second, int own)
{
	int *a = first ? &shared : &own, *b = second ? &shared : &own;
	return *a + *b * 3;
}

static void *reader(void *unused)
{
	if (sum(no, no, 2) != 8)
		abort();
	return unused;
}

static void *writer(void *unused)
{
	shared = 1;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
