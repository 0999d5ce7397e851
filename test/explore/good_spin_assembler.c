// A barrier whose threads are counted by assembler code, which is not recorded: that the count has changed since a thread read it
// says nothing about what it waits for afterwards.
// explore: open
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile long count;
static _Atomic int open_now;
static int before[2];

static void meet(void)
{
	long seen = count, found;

	__asm__ volatile("lock xaddq %0, %1" : "=r"(found), "+m"(count) : "0"(1l));
	if (found == 1 && seen <= 1)
		open_now = 1;
	while (!open_now)
		sched_yield();
}

static void *work(void *mine)
{
	*(int *)mine = 1;
	meet();
	assert(before[0] + before[1] == 2);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &before[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
