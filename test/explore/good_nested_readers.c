// A reader reads again inside while a writer waits: locks that prefer readers, the default, let it.
// explore: complete
// build: -pthread
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *read_twice(void *unused)
{
	int first;

	pthread_rwlock_rdlock(&lock);
	first = value;
	pthread_rwlock_rdlock(&lock);
	assert(value == first);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *write_once(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	value++;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, read_twice, NULL);
	pthread_create(&threads[1], NULL, write_once, NULL);
	pthread_create(&threads[2], NULL, read_twice, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
