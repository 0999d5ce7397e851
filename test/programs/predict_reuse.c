// A block is freed and another thread gets the same memory: its accesses are of another life.
// build: -pthread
// plain: lib/turn.c
// stdout: the same block
// serial: no, blocks are not used again
// predict: silent
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

/* Too big for a thread's own cache: it goes back to the one arena. */
enum { SIZE = 40000 };

static uintptr_t addresses[2];

/* What the first malloc of a thread needs comes out of the arena, too: that is done before. */
static void warm_up(void)
{
	void *volatile block = malloc(16);

	free(block);
	turn_done();
}

static void *first(void *unused)
{
	char *block;

	warm_up();
	turn_wait(2);
	block = malloc(SIZE);
	block[SIZE / 2] = 1;
	addresses[0] = (uintptr_t)block;
	free(block);
	turn_done();
	turn_wait(4);
	return unused;
}

static void *second(void *unused)
{
	char *block;

	warm_up();
	turn_wait(3);
	block = malloc(SIZE);
	block[SIZE / 2] = 2;
	addresses[1] = (uintptr_t)block;
	free(block);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	mallopt(M_ARENA_MAX, 1);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts(addresses[0] == addresses[1] ? "the same block" : "another block");
	return 0;
}
