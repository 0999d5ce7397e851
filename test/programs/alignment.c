// The stack is aligned to 16 wherever the program's code runs: threads, handlers, constructors.
// build: -pthread
// stdout: constructor 0 main 0 thread 0 handler 0 destructor 0
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

typedef float four __attribute__((vector_size(16)));

static int off[4];

__attribute__((noinline)) static int misaligned(void)
{
	volatile four aligned = { 1, 2, 3, 4 };
	double x = 0;

	dprintf(-1, "%f", x); /* libc saves vector registers with aligned stores */
	return (int)((uintptr_t)&aligned % 16);
}

static __attribute__((constructor)) void before(void)
{
	off[0] = misaligned();
}

static __attribute__((destructor)) void after(void)
{
	dprintf(1, "constructor %d main %d thread %d handler %d destructor %d\n", off[0], off[1],
		off[2], off[3], misaligned());
}

static void on_signal(int signal)
{
	(void)signal;
	off[3] = misaligned();
}

static void *run(void *unused)
{
	off[2] = misaligned();
	return unused;
}

int main(void)
{
	pthread_t thread;

	off[1] = misaligned();
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return 0;
}
