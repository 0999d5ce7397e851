// A thread cancelled in pthread_cond_wait has the mutex in its cleanup, and is joined.
// build: -pthread
// stdout: cancelled 1, cleaned 1
// text: ^T1\|wait\(
// text: ^T1\|woken\(
// text: ^T1\|w\(cleaned@4\)=1\|
// text: ^T1\|end
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int cleaned;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
	pthread_mutex_unlock(&lock);
}

static void *wait(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean, NULL);
	sem_post(&waiting);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *result;

	sem_init(&waiting, 0, 0);
	pthread_create(&thread, NULL, wait, NULL);
	sem_wait(&waiting);
	pthread_mutex_lock(&lock); /* it waits now */
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled %d, cleaned %d\n", result == PTHREAD_CANCELED, cleaned);
	return 0;
}
