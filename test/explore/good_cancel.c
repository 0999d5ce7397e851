// A thread is cancelled where it waits, and leaves its lock behind in order.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void leave(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&lock);
}

static void *await(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(leave, NULL);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, await, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	assert(result == PTHREAD_CANCELED);
	assert(pthread_mutex_lock(&lock) == 0);
	return 0;
}
