// Memory that is mapped again at the same place is another: accesses before the end of the one are
// before those of the other. What is written behind the end is not ordered by it.
// build: -pthread
// plain: lib/turn.c
// stdout: same 1
// text: ^T1\|unmap\(
// text: ^T2\|map\(
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

void turn_wait(int number);
void turn_done(void);

enum { SIZE = 1 << 16 };
static int loose;

static int *map(void *at)
{
	return mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *use_first(void *memory)
{
	*(int *)memory = 1;
	munmap(memory, SIZE);
	loose = 1; // FIRST
	turn_done();
	return NULL;
}

static void *use_second(void *memory)
{
	turn_wait(1);
	int *mine = map(memory);
	*mine = 2;
	loose = 1; // SECOND
	return mine;
}

int main(void)
{
	pthread_t threads[2];
	void *first = map(NULL), *second;

	pthread_create(&threads[0], NULL, use_first, first);
	pthread_create(&threads[1], NULL, use_second, first);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], &second);
	printf("%s %d\n", first == second ? "same" : "other", loose);
	return 0;
}
