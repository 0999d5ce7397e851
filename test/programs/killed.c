// SIGKILL: everything up to it, unflushed buffers too, is in the trace.
// build: -pthread
// stdout: now
// exit: 137
// check: cut
// text: ^T1\|w\(before@4\)=4711\|
// count: 30000 ^T1\|w\([^b]
// text: ^T0\|join\(T1\)
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int before, at[30000];

static void *run(void *unused)
{
	for (int i = 0; i < 30000; i++)
		at[i] = i;
	before = 4711;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	dprintf(1, "now\n");
	kill(getpid(), SIGKILL);
	return 0;
}
