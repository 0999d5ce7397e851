// A recursive mutex locked twice, and one that checks for errors and says so.
// explore: complete
// build: -pthread
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t careful = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int count;

static void *use(void *unused)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	pthread_mutex_unlock(&again);
	count++;
	pthread_mutex_unlock(&again);
	assert(pthread_mutex_unlock(&careful) == EPERM);
	pthread_mutex_lock(&careful);
	assert(pthread_mutex_lock(&careful) == EDEADLK);
	assert(pthread_mutex_trylock(&careful) == EBUSY);
	pthread_mutex_unlock(&careful);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 2);
	return 0;
}
