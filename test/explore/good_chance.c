// Time and chance decide where it goes; each way is a good one.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static long microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void *add(void *unused)
{
	long until = microseconds() + 200;
	unsigned char byte = 0;

	assert(getrandom(&byte, 1, 0) == 1);
	while (microseconds() < until)
		;
	pthread_mutex_lock(&lock);
	count += byte % 2 ? 1 : 2;
	count += rand() % 2;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	long start = microseconds();

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count >= 2 && count <= 6);
	assert(microseconds() - start >= 200);
	return 0;
}
