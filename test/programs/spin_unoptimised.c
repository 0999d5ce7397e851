// Without optimisation an atomic load goes through a variable of its own: a loop around one still spins.
// build: -pthread
// opt: -O0
// stdout: done
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_done;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	atomic_store(&is_done, 1);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	while (!atomic_load(&is_done))
		;
	pthread_join(worker, NULL);
	puts("done");
}
