// Locals that another thread sees: arrays, variable-length arrays, alloca, compound literals.
// build: -pthread
// stdout: 6 15 28 45
// text: ^T1\|r\(0x7f.*\)=3\|.*stack_memory\.c
// text: ^T3\|w\(0x7f.*\)=36\|
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>

struct job {
	int *at, n, sum;
};

static void *add(void *argument)
{
	struct job *job = argument;

	for (int i = 0; i < job->n; i++)
		job->sum += job->at[i];
	return NULL;
}

static int elsewhere(int *at, int n)
{
	pthread_t thread;
	struct job job = { .at = at, .n = n };

	pthread_create(&thread, NULL, add, &job);
	pthread_join(thread, NULL);
	return job.sum;
}

static int variable(int n)
{
	int at[n], *more = alloca((size_t)n * sizeof(int));

	for (int i = 0; i < n; i++)
		more[i] = at[i] = i + 1;
	return n % 2 ? elsewhere(at, n) : elsewhere(more, n);
}

int main(void)
{
	int fixed[] = { 1, 2, 3 };
	int a = elsewhere(fixed, 3), b = variable(5), d = variable(8) + 9;
	int c = elsewhere((int[]){ 13, 15 }, 2);

	printf("%d %d %d %d\n", a, b, c, d);
	return 0;
}
