// A variable that is compared only where another test holds: a compiler that makes one test of the two, and reads it for that in any case, must not be
// believed.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>

int compared;
static volatile int one = 1;

__attribute__((noinline)) static int are_none(unsigned which)
{
	if (!which && compared == which)
		return 1;
	return 0;
}

static void *reader(void *unused)
{
	if (are_none(one))
		abort();
	return unused;
}

static void *writer(void *unused)
{
	compared = 1;
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
