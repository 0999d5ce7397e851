// Robust mutexes of all types whose owner ends: who waits for them, in a lock or behind a condition,
// gets them and is told so. What nobody makes consistent is had by nobody.
// build: -pthread
// stdout: normal dead 1 recursive dead 1 errorcheck dead 1
// stdout: behind a condition: dead 1
// stdout: not recoverable 1 1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t taken;
static int ready;

static void make(int type)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, type);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &kind);
}

static void *die(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&taken);
	return unused;
}

static int is_told(int type)
{
	pthread_t thread;

	make(type);
	pthread_create(&thread, NULL, die, NULL);
	pthread_barrier_wait(&taken);
	int dead = pthread_mutex_lock(&lock) == EOWNERDEAD;
	pthread_mutex_consistent(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&lock);
	return dead;
}

static void *signal_and_die(void *unused)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int result = 0;

	pthread_barrier_init(&taken, NULL, 2);
	printf("normal dead %d ", is_told(PTHREAD_MUTEX_NORMAL));
	printf("recursive dead %d ", is_told(PTHREAD_MUTEX_RECURSIVE));
	printf("errorcheck dead %d\n", is_told(PTHREAD_MUTEX_ERRORCHECK));
	make(PTHREAD_MUTEX_NORMAL);
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, signal_and_die, NULL);
	while (!ready)
		result = pthread_cond_wait(&changed, &lock);
	printf("behind a condition: dead %d\n", result == EOWNERDEAD);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	result = pthread_mutex_lock(&lock) == ENOTRECOVERABLE;
	printf("not recoverable %d %d\n", result, pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
	return 0;
}
