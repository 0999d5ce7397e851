// A barrier that is met twice; one of the threads is told to be the serial one, each time.
// explore: complete
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int serial;
static int before[2];

static void *meet(void *argument)
{
	int *mine = argument;

	*mine = 1;
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	assert(before[0] + before[1] == 2);
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	*mine = 2;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, meet, &before[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	assert(serial == 2);
	return 0;
}
