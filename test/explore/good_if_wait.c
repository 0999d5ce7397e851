// A wait under `if`: right as long as nobody wakes up without a signal, and that is for who asks.
// explore: complete
// build: -pthread
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
static int ready;

static void *await(void *unused)
{
	pthread_mutex_lock(&lock);
	if (!ready)
		pthread_cond_wait(&set, &lock);
	assert(ready);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, await, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_broadcast(&set);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
