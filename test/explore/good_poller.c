// One thread polls and sleeps until it is told to stop. A schedule in which only its sleep could go on, and that was run before, is
// no failure.
// explore: silent
// build: -pthread
#include <pthread.h>
#include <unistd.h>

static volatile int limit = 60, busy;
static int stop;

static void *poll_and_sleep(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		busy = 1;
		usleep(1);
		busy = 0;
		usleep(1);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, poll_and_sleep, NULL);
	for (int i = 0; i < limit; i++)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}
