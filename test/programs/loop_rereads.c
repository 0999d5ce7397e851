// A loop over many elements reads the same bound in each round, as a loop that waits for a change of it would, and other threads
// never stop: one sleeps and works, one works without sleeping. The loop ends by itself and must be allowed to.
// build: -pthread
// stdout: 5000 rounds
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 5000

static volatile int bound = ROUNDS;
static volatile unsigned long worked;
static int stop;

static void *sleep_and_work(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		worked++;
		usleep(1000);
	}
	return unused;
}

static void *work(void *unused)
{
	static volatile unsigned long count;

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		count++;
	return unused;
}

static void loop(void *(*beside)(void *))
{
	pthread_t thread;
	int i;

	pthread_create(&thread, NULL, beside, NULL);
	for (i = 0; i < bound; i++)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	stop = 0;
	if (beside == work)
		printf("%d rounds\n", i);
}

int main(void)
{
	loop(sleep_and_work);
	loop(work);
	return 0;
}
