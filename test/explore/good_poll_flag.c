// Flags that are polled, with a yield and with a sleep.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;
static int value;

static void *wait_yielding(void *unused)
{
	while (flag == 0)
		sched_yield();
	assert(value == 1);
	return unused;
}

static void *wait_sleeping(void *unused)
{
	while (flag == 0)
		usleep(100);
	assert(value == 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_yielding, NULL);
	pthread_create(&threads[1], NULL, wait_sleeping, NULL);
	value = 1;
	flag = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
