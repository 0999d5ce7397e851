// A key is looked for under the read lock and inserted under the write lock, without a second look.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "work.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int keys[4], count;

static bool holds(int key)
{
	for (int i = 0; i < count; i++)
		if (keys[i] == key)
			return true;
	return false;
}

static void *insert(void *argument)
{
	int key = (int)(intptr_t)argument;
	bool there;

	pthread_rwlock_rdlock(&lock);
	there = holds(key);
	pthread_rwlock_unlock(&lock);
	if (there)
		return NULL;
	pthread_rwlock_wrlock(&lock);
#ifdef FIXED
	if (!holds(key))
#endif
		keys[count++] = key;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, insert, (void *)(intptr_t)7);
		work(10);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 1); // FAILS
	return 0;
}
