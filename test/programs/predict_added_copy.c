// One of two structs is copied, and as small as a register: a compiler that would read both and then choose must not be believed.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>

struct pair {
	int left, right;
} first, second, copy;
static volatile int no;

__attribute__((noinline)) static void copy_one(int which)
{
	struct pair *from = which ? &first : &second;
	copy = *from;
}

static void *reader(void *unused)
{
	copy_one(no);
	if (copy.left)
		abort();
	return unused;
}

static void *writer(void *unused)
{
	first.left = 1;
	first.right = 1;
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
