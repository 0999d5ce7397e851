// An array's first element is copied into another of them, and its index is used again: whether that was told by then is decided where
// the array is known, and the array is by the copy's own source. Another thread writes what is told by the index:
// they meet at one place.
// build: -pthread
// predict: race used[5]@BY_INDEX used[5]@DIRECTLY
#include <pthread.h>
#include <stddef.h>

struct block {
	int numbers[10];
};

struct block blocks[8];
int used[8];
static struct block *volatile first = blocks;
static volatile unsigned where = 5, often = 3;

__attribute__((noinline)) static void spread(struct block *from, unsigned to, unsigned times)
{
	from[to] = *from;
	if (times)
		used[to] = 1; // BY_INDEX
}

static void *run(void *unused)
{
	spread(first, where, often);
	return unused;
}

static void *meet(void *unused)
{
	used[5] = 2; // DIRECTLY
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, run, NULL);
	pthread_create(&threads[1], NULL, meet, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
