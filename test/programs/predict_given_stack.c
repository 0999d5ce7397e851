// A stack that the program supplies is its own memory before and after the thread: it may be painted,
// scanned after the join, and reused.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 65536

__attribute__((noipa)) static void touch(volatile char *local)
{
	local[0] = 1;
}

static void *run(void *unused)
{
	volatile char local[100];

	touch(local);
	return unused;
}

static void create(pthread_t *thread, char *stack)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, BYTES);
	pthread_create(thread, &attributes, run, NULL);
	pthread_attr_destroy(&attributes);
}

static char *make_stack(void)
{
	char *stack = aligned_alloc(4096, BYTES);

	memset(stack, 0xaa, BYTES);
	return stack;
}

int main(void)
{
	char *stack = make_stack();
	pthread_t thread;
	size_t unused = 0;

	for (int round = 0; round < 2; round++) {
		create(&thread, stack);
		pthread_join(thread, NULL);
		while (unused < BYTES && stack[unused] == (char)0xaa)
			unused += 64;
	}
	free(stack);
	return unused == 0 || unused >= BYTES;
}
