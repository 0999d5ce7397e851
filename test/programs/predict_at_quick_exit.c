// What a thread registers for a quick end of the process is run by another, behind what was done before. It is
// not behind what that thread does afterwards.
// build: -pthread
// plain: lib/turn.c
// stdout: 3
// predict: race loose@REGISTERED loose@RUNS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void turn_wait(int number);
void turn_done(void);

static int data;
static volatile int loose; // nobody reads it

static void leave(void)
{
	loose = 1; // RUNS
	printf("%d\n", data);
	fflush(stdout);
}

static void *run(void *unused)
{
	data = 3;
	at_quick_exit(leave);
	loose = 2; // REGISTERED
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_detach(thread);
	turn_wait(1);
	quick_exit(0);
}
