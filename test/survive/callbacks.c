/*
 * The stack is aligned, and errno is kept, in every function that others call: compared by qsort,
 * run once, at exit, at a thread's end, as a handler on the stack and on another, in a context.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static int numbers[5000], bad, kept = 1;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static ucontext_t here, there;
static volatile int shared;

/* An aligned store that faults where the stack is off by eight. */
static __attribute__((noinline)) void touch(void)
{
	_Alignas(16) volatile float four[4];

	__asm__ volatile("movaps %%xmm0, %0" : "=m"(four));
	bad += (uintptr_t)four % 16 != 0;
	shared++;
}

static int compare(const void *a, const void *b)
{
	touch();
	if (errno != 55)
		kept = 0;
	return *(const int *)a - *(const int *)b;
}

static void at_exit(void)
{
	touch();
	dprintf(1, "bad %d kept %d\n", bad, kept);
}

static void on_signal(int number)
{
	(void)number;
	touch();
	for (int i = 0; i < 20000; i++) /* more than a buffer holds */
		shared = i;
}

static void at_thread_end(void *value)
{
	(void)value;
	touch();
}

static void *run(void *unused)
{
	pthread_once(&once, touch);
	pthread_setspecific(key, &key);
	touch();
	return unused;
}

static void in_context(void)
{
	touch();
}

static void signals(void)
{
	static char stack[1 << 16];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&other, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

int main(void)
{
	static char stack[1 << 16];
	pthread_t thread;

	atexit(at_exit);
	pthread_key_create(&key, at_thread_end);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 5000; i++)
		numbers[i] = i * 7919 % 5003;
	errno = 55;
	qsort(numbers, 5000, sizeof(numbers[0]), compare);
	signals();
	if (errno != 55)
		kept = 0;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
	for (int i = 1; i < 5000; i++)
		if (numbers[i - 1] > numbers[i])
			bad++;
	return 0;
}
