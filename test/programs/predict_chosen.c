// One of two variables is read, by a pointer or directly: the other one is not. A compiler that would read both and then choose must
// not be believed. (What is read races with who writes it, so much is seen.)
// build: -pthread
// predict: race down@READ down@WRITTEN
#include <pthread.h>
#include <stdlib.h>

static int left, right, up, down;
static volatile int never;

__attribute__((noinline)) static int choose(int which)
{
	int *from = which ? &left : &right;
	return *from;
}

__attribute__((noinline)) static int choose_directly(int which)
{
	return which ? up : down; // READ
}

static void *reader(void *unused)
{
	if (choose(never) + choose_directly(never) > 2)
		abort();
	return unused;
}

static void *writer(void *unused)
{
	left = 1;
	down = 1; // WRITTEN
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
