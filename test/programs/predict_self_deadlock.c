// A thread takes a lock that it holds. The program hangs; `sooth check` ends it and says why.
// build: -pthread
// hangs: yes
// predict: observed deadlock lock@AGAIN
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_twice(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock); // AGAIN
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_twice, NULL);
	pthread_join(thread, NULL);
	return 0;
}
