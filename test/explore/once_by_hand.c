// A flag instead of pthread_once: it is up before the table is there.
// explore: crash READS
// build: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "work.h"

static atomic_bool started;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int numbers[4];
static int *_Atomic table;

static void initialise(void)
{
	table = numbers;
}

static void *use(void *unused)
{
#ifdef FIXED
	pthread_once(&once, initialise);
#else
	if (!atomic_exchange(&started, true))
		initialise();
#endif
	(void)*(volatile int *)table; // READS
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	(void)once;
	(void)started;
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, use, NULL);
		work(10);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
