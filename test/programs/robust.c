// A robust mutex whose owner died: EOWNERDEAD counts as acquired, and it goes on.
// build: -pthread
// stdout: dead 1 consistent 0 again 0
// text: ^T1\|acq\(
// text: ^T0\|acq\(
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void *die(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t kind;
	pthread_t thread;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &kind);
	pthread_create(&thread, NULL, die, NULL);
	pthread_join(thread, NULL);
	int dead = pthread_mutex_lock(&lock) == EOWNERDEAD;
	int consistent = pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	int again = pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	printf("dead %d consistent %d again %d\n", dead, consistent, again);
	return 0;
}
