/*
 * Does everything that is recorded, in four threads and some that come and go, until somebody
 * kills it. Thread i counts in cells[i].
 */
#include "progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static uint64_t cells[PROGRESS_THREADS];
static struct progress *progress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static long shared, atomic;
static char image[3000];

static void *helper(void *argument)
{
	pthread_mutex_lock(&lock);
	shared += *(long *)argument;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void sometimes(uint64_t number)
{
	pthread_t thread;
	long one = 1;

	if (number % 64 == 0) {
		char *copy = malloc(sizeof(image));
		pthread_rwlock_rdlock(&gate);
		memcpy(copy, image, sizeof(image));
		pthread_rwlock_unlock(&gate);
		copy[number % sizeof(image)]++;
		free(copy);
	}
	if (number % 1024 == 0) {
		pthread_rwlock_wrlock(&gate);
		memset(image, (int)number, sizeof(image));
		pthread_rwlock_unlock(&gate);
		if (!pthread_create(&thread, NULL, helper, &one))
			pthread_join(thread, NULL);
	}
}

static void *work(void *argument)
{
	int me = (int)(long)argument;

	for (uint64_t number = 1;; number++) {
		cells[me] = number;
		progress_reached(progress, me, number);
		if (number % 8 == 0) {
			pthread_mutex_lock(&lock);
			shared++;
			pthread_mutex_unlock(&lock);
			__atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST);
		}
		sometimes(number);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[PROGRESS_THREADS];

	progress = progress_open(cells);
	if (!progress)
		return 1;
	for (long i = 0; i < PROGRESS_THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < PROGRESS_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
