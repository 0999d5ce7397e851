// Destructors of thread-specific data run instrumented code after the thread's function ended.
// build: -pthread
// stdout: destroyed 4, rounds 2
// text: ^T1\|w\(destroyed@4\)=4\|
// text: ^T1\|w\(rounds@4\)=2\|
// count: 1 ^T1\|end
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t first, second;
static int destroyed, rounds;

static void on_second(void *value)
{
	destroyed += *(int *)value;
	rounds++;
	free(value);
}

static void on_first(void *value)
{
	int *again = malloc(sizeof(*again));

	destroyed += *(int *)value;
	free(value);
	*again = 1;
	rounds++;
	pthread_setspecific(second, again);
}

static void *run(void *unused)
{
	int *value = malloc(sizeof(*value));

	*value = 3;
	pthread_setspecific(first, value);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&first, on_first);
	pthread_key_create(&second, on_second);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("destroyed %d, rounds %d\n", destroyed, rounds);
	return 0;
}
