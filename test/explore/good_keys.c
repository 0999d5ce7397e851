// Values of threads' own: their destructors run after the thread's function, and take a lock.
// explore: complete
// build: -pthread
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static __thread int own;
static int destroyed;

static void destroy(void *block)
{
	assert(*(int *)block == own);
	free(block);
	pthread_mutex_lock(&lock);
	destroyed++;
	pthread_mutex_unlock(&lock);
}

static void *use(void *number)
{
	int *block = malloc(sizeof(*block));

	own = *(const int *)number;
	errno = own;
	*block = own;
	pthread_setspecific(key, block);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	assert(errno == own);
	return NULL;
}

int main(void)
{
	static const int numbers[] = { 1, 2 };
	pthread_t threads[2];

	pthread_key_create(&key, destroy);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, (void *)&numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(destroyed == 2);
	return 0;
}
