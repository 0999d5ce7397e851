// main yields until a thread has begun, and that one counts until main tells it to stop: it never waits for anybody, and who
// gives way must come to its turn all the same, however turns are drawn.
// build: -pthread
// stdout: counted
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic int begun, stop;
static volatile unsigned long count;

static void *work(void *unused)
{
	begun = 1;
	do
		count++;
	while (!stop);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	while (!begun)
		sched_yield();
	stop = 1;
	pthread_join(thread, NULL);
	puts(count ? "counted" : "not counted");
	return 0;
}
