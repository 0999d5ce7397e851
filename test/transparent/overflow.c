// A stack that is full is noticed on another one, whatever the thread was doing.
#include "say.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf back;
static volatile int depth;

static void full(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static __attribute__((noinline)) int dive(int value)
{
	volatile int here[8] = { value };

	depth++;
	for (int i = 0; i < 8; i++)
		here[i] += here[(i + 1) % 8];
	return dive(value + 1) + here[0];
}

int main(void)
{
	stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = full, .sa_flags = SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 3; i++) {
		depth = 0;
		if (sigsetjmp(back, 1) == 0)
			dive(i);
		SAY(depth > 1000);
	}
	return 0;
}
