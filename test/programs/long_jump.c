// setjmp and longjmp over several frames, again and again: stacks stay right.
// build: -pthread
// stdout: jumps 50, then 3
// text: ^T1\|w\(jumps@4\)=50\|
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static int jumps;

__attribute__((noinline)) static void fall(int depth)
{
	jumps++;
	if (depth == 4)
		longjmp(back, depth);
	jumps--;
	if (depth < 9)
		fall(depth + 1);
	jumps += 100;
}

static void *run(void *unused)
{
	for (volatile int i = 0; i < 50; i++)
		if (!setjmp(back))
			fall(0);
	return unused;
}

__attribute__((noinline)) static int after(void)
{
	return 3;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("jumps %d, then %d\n", jumps, after());
	return 0;
}
