// Two clients look whether an entry is there and insert it, and main sleeps before it creates the second one. How long that
// takes is a choice: the first may still stand between its look and its insertion.
// explore: assertion ASSERT
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct cache {
	pthread_rwlock_t lock;
	int entries, full;
};

static void *insert_once(void *argument)
{
	struct cache *cache = argument;
	int seen;

	pthread_rwlock_rdlock(&cache->lock);
	seen = cache->full;
	pthread_rwlock_unlock(&cache->lock);
	if (seen)
		return NULL;
	pthread_rwlock_wrlock(&cache->lock);
#ifdef FIXED
	if (!cache->full)
#endif
	{
		cache->full = 1;
		cache->entries++;
	}
	pthread_rwlock_unlock(&cache->lock);
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	pthread_t threads[3];

	pthread_rwlock_init(&cache->lock, NULL);
	pthread_create(&threads[0], NULL, insert_once, cache);
	pthread_create(&threads[1], NULL, nothing, NULL);
	usleep(5000);
	pthread_create(&threads[2], NULL, insert_once, cache);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(cache->entries == 1); // ASSERT
	return 0;
}
