// The cleanup of a cancelled thread comes after what was done before it was cancelled, wherever it
// waited then.
// build: -pthread
// stdout: 3 3 3 3
// text: ^T1\|sync\|
// text: ^T2\|sync\|
// text: ^T3\|sync\|
// text: ^T4\|sync\|
// predict: silent
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

enum { WAYS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static sem_t never_posted;
static int value[WAYS];

static void clean(void *at)
{
	*(int *)at += 1;
}

static void *sleeper(void *at)
{
	pthread_cleanup_push(clean, at);
	for (;;)
		sleep(1000);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *downer(void *at)
{
	pthread_cleanup_push(clean, at);
	for (;;)
		sem_wait(&never_posted);
	pthread_cleanup_pop(0);
	return NULL;
}

static void unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&lock);
}

static void *waiter(void *at)
{
	pthread_cleanup_push(clean, at);
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&never_signalled, &lock);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *poller(void *at)
{
	pthread_cleanup_push(clean, at);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	void *(*const routines[WAYS])(void *) = { sleeper, downer, waiter, poller };
	pthread_t threads[WAYS];

	sem_init(&never_posted, 0, 0);
	for (int i = 0; i < WAYS; i++)
		pthread_create(&threads[i], NULL, routines[i], &value[i]);
	for (int i = 0; i < WAYS; i++) {
		value[i] = 2;
		pthread_cancel(threads[i]);
		pthread_join(threads[i], NULL);
	}
	printf("%d %d %d %d\n", value[0], value[1], value[2], value[3]);
	return 0;
}
