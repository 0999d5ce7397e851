// THREADS threads with OPERATIONS operations each, on memory that all threads share. Half of the
// operations are under a lock (lock, read, write, unlock), half are plain (read, write).
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int guarded, plain;
static int operations;

static void *work(void *unused)
{
	int rounds = operations <= 4 ? 1 : operations / 8;

	(void)unused;
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		guarded = guarded + 1;
		pthread_mutex_unlock(&lock);
	}
	for (int left = operations - 4 * rounds; left > 1; left -= 2)
		plain = plain + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t thread[256];

	operations = argc > 2 ? atoi(argv[2]) : 100;
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
