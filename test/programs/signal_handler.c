// Handlers that access shared memory, nested, with SA_SIGINFO, and one left by siglongjmp.
// build: -pthread
// stdout: outer 1 inner 1 order 12, value 7, jumped 3, old handler kept 1
// text: ^T(1|4096)\|handler\(T0,10\)
// text: ^T(2|4097)\|handler\(T0,12\)
// text: ^T(2|4097)\|w\(order@4,volatile\)=12\|
// text: ^T(1|4096)\|w\(value@4,volatile\)=7\|
// text: ^T(1|4096)\|w\(jumped@4,volatile\)=3\|
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile int outer, inner, order, value, jumped;
static sigjmp_buf back;

static void on_inner(int signal)
{
	(void)signal;
	inner++;
	order = order * 10 + 2;
}

static void on_outer(int signal)
{
	(void)signal;
	outer++;
	order = order * 10 + 1;
	raise(SIGUSR2);
}

static void on_queue(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	value = info->si_value.sival_int;
}

static void on_jump(int signal)
{
	(void)signal;
	jumped++;
	siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction queue = { .sa_sigaction = on_queue, .sa_flags = SA_SIGINFO }, old;

	signal(SIGUSR1, on_outer);
	signal(SIGUSR2, on_inner);
	sigaction(SIGRTMIN, &queue, NULL);
	signal(SIGTERM, on_jump);
	raise(SIGUSR1);
	pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){ .sival_int = 7 });
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			raise(SIGTERM);
	sigaction(SIGRTMIN, NULL, &old);
	printf("outer %d inner %d order %d, value %d, jumped %d, old handler kept %d\n", outer,
	       inner, order, value, jumped, old.sa_sigaction == on_queue);
	return 0;
}
