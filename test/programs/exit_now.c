// _exit from a thread while others are blocked: status kept, trace whole, handlers not run.
// build: -pthread
// stdout: leaving
// exit: 6
// text: ^T2\|w\(value@4\)=1\|
// text: ^T1\|wait\(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static int value, is_waiting;

static void never(void)
{
	puts("atexit ran");
}

static void *block(void *unused)
{
	pthread_mutex_lock(&lock);
	is_waiting = 1;
	for (;;)
		pthread_cond_wait(&never_signalled, &lock);
	return unused;
}

static void *leave(void *unused)
{
	for (int blocked = 0; !blocked;) {
		pthread_mutex_lock(&lock); /* given up by who is in the wait */
		blocked = is_waiting;
		pthread_mutex_unlock(&lock);
	}
	value = 1;
	dprintf(1, "leaving\n");
	_exit(6);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	atexit(never);
	pthread_create(&a, NULL, block, NULL);
	pthread_create(&b, NULL, leave, NULL);
	pthread_join(b, NULL);
	return value;
}
