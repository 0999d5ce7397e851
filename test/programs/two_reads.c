// Two reads of one shared location are two events, however near they stand.
// build: -pthread
// stdout: 14
// count: 2 ^T1\|r\([^)]*@4,volatile\)=7\|
#include <pthread.h>
#include <stdio.h>

int shared = 7;

static __attribute__((noinline)) int twice(volatile int *p)
{
	int a = *p;
	int b = *p;

	return a + b;
}

static void *run(void *result)
{
	*(int *)result = twice(&shared);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int result = 0;

	pthread_create(&thread, NULL, run, &result);
	pthread_join(thread, NULL);
	printf("%d\n", result);
	return 0;
}
