// Accesses, locks, malloc and a whole thread before main; more after it.
// build: -pthread
// stdout: before 11
// stdout: after 12
// text: ^T1\|w\(.*\)=11\|
// text: ^T0\|w\(.*\)=12\|
// text: ^T0\|w\(.*\)=1\|.*constructors\.c
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *value;

static void *add(void *n)
{
	pthread_mutex_lock(&lock);
	*value += *(int *)n;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static __attribute__((constructor(101))) void first(void)
{
	value = calloc(1, sizeof(*value));
	*value = 1;
}

static __attribute__((constructor)) void second(void)
{
	pthread_t thread;
	int ten = 10;

	pthread_create(&thread, NULL, add, &ten);
	pthread_join(thread, NULL);
}

static __attribute__((destructor)) void last(void)
{
	int one = 1;

	add(&one);
	dprintf(1, "after %d\n", *value);
	free(value);
}

int main(void)
{
	dprintf(1, "before %d\n", *value);
	return 0;
}
