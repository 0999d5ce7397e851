// A select or poll of no descriptors is a sleep, also where threads take turns.
// build: -pthread -D_GNU_SOURCE
// stdout: 3
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int all_done(void)
{
	pthread_mutex_lock(&lock);
	int now = done;
	pthread_mutex_unlock(&lock);
	return now == 3;
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	while (!all_done()) {
		select(0, NULL, NULL, NULL, &(struct timeval){ .tv_usec = 1000 });
		pselect(0, NULL, NULL, NULL, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
		poll(NULL, 0, 1);
		ppoll(NULL, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", done);
	return 0;
}
