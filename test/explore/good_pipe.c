// A thread waits in the kernel, for a pipe that another writes to.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int value;

static void *receive(void *unused)
{
	char byte;

	assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
	assert(value == 1);
	return unused;
}

static void *send(void *unused)
{
	value = 1;
	assert(write(ends[1], "x", 1) == 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	assert(pipe(ends) == 0);
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
