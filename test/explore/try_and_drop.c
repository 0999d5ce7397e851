// Who cannot get the lock at once goes away, and takes the item along.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stored;

static void *store(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#else
	if (pthread_mutex_trylock(&lock) != 0)
		return unused;
#endif
	stored++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, store, NULL);
		work(10);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(stored == 3); // FAILS
	return 0;
}
