// LIBS: -levent -levent_pthreads
// An evbuffer with a lock of its own carries bytes, and a mutex of the program a count.
#include <event2/buffer.h>
#include <event2/thread.h>
#include <pthread.h>

static struct evbuffer *buffer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int added;

static void *add(void *unused)
{
	evbuffer_add(buffer, "abc", 3);
#ifndef BUG
	pthread_mutex_lock(&lock);
#endif
	added += 3;
#ifndef BUG
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	evthread_use_pthreads();
	buffer = evbuffer_new();
	evbuffer_enable_locking(buffer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	evbuffer_free(buffer);
	return added < 3;
}
