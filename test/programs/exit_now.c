// _exit from a thread while others are blocked: status kept, trace whole, handlers not run.
// build: -pthread
// stdout: leaving
// exit: 6
// text: ^T2\|w\(value@4\)=1\|
// text: ^T1\|req\(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void never(void)
{
	puts("atexit ran");
}

static void *block(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

static void *leave(void *unused)
{
	value = 1;
	dprintf(1, "leaving\n");
	_exit(6);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	atexit(never);
	pthread_mutex_lock(&lock);
	pthread_create(&a, NULL, block, NULL);
	pthread_create(&b, NULL, leave, NULL);
	pthread_join(b, NULL);
	return value;
}
