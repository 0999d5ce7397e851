// A variable that each round of a loop reads, and that another thread may write when the last round has posted: a compiler that reads it again
// behind the post, for a round that does not come, must not be believed.
// build: -pthread
// predict: silent
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

int read_in_rounds;
static volatile int rounds = 3;
static sem_t done;

__attribute__((noinline)) static int read_all(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		all += read_in_rounds;
		if (i == n - 1)
			sem_post(&done);
	}
	return all;
}

static void *reader(void *unused)
{
	if (read_all(rounds) == 1)
		abort();
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, reader, NULL);
	sem_wait(&done);
	read_in_rounds = 1;
	pthread_join(thread, NULL);
	return 0;
}
