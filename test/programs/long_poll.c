// Who polls a flag under a lock, and counts how often, waits for another, although it changes something
// in each round: where threads take turns the other has its turn in the end.
// build: -pthread
// stdout: 1
// predict: silent
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static unsigned long rounds;

static void *set(void *unused)
{
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, set, NULL);
	do {
		pthread_mutex_lock(&lock);
		seen = flag;
		rounds++;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	pthread_join(thread, NULL);
	printf("%d\n", seen);
	return 0;
}
