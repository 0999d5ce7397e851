// Jumps out of functions and out of handlers, in the middle of anything; other stacks.
#include "say.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile unsigned long cells[64];
static unsigned long counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long locked;
static jmp_buf plain;
static ucontext_t here, there;

static void escape(int number)
{
	siglongjmp(back, number);
}

static void deeper(int levels)
{
	volatile char frame[100];

	frame[levels % 100] = 1;
	if (levels == 0)
		longjmp(plain, 5);
	deeper(levels - 1);
}

/* Nothing of what the handler cut into is left behind: the next operations find all in order. */
static void out_of_handlers(int jumps)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	volatile int done = 0;

	signal(SIGALRM, escape);
	setitimer(ITIMER_REAL, &often, NULL);
	while (done < jumps) {
		if (sigsetjmp(back, 1) == 0) {
			for (unsigned long i = 0;; i++) {
				cells[i % 64] += i;
				__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
			}
		}
		done++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
}

static void *use(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		locked++;
		pthread_mutex_unlock(&lock);
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	}
	return unused;
}

static void other_stack(void)
{
	for (int i = 0; i < 3; i++) {
		say_work(20000);
		printf("there %d\n", i);
		swapcontext(&there, &here);
	}
}

static void contexts(void)
{
	static char stack[1 << 16];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, other_stack, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&here, &there);
		printf("here %d\n", i);
	}
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		if (setjmp(plain) == 0)
			deeper(i * 10);
		else
			say_work(5000);
	out_of_handlers(400);
	use(NULL);
	say_in_thread(use, NULL);
	SAY(locked);
	contexts();
	return 0;
}
