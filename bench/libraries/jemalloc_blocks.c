// LIBS: -ljemalloc
// Blocks of another allocator go from one thread to another through a pipe.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *consumer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int *block;

		if (read(ends[0], &block, sizeof block) != sizeof block)
			abort();
		block[0]++;
		free(block);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pipe(ends))
		return 1;
	pthread_create(&thread, NULL, consumer, NULL);
	for (int i = 0; i < 3; i++) {
		int *block = malloc(64);

		block[0] = i;
		if (write(ends[1], &block, sizeof block) != sizeof block)
			abort();
#ifdef BUG
		block[0] = 7;
#endif
	}
	pthread_join(thread, NULL);
	return 0;
}
