// Timed operations whose time-outs are dealt with: a lock, a semaphore, a wait.
// explore: complete
// build: -pthread
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t posts;
static int count, skipped;

static struct timespec in_a_while(void)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 50;
	return deadline;
}

static void *add(void *unused)
{
	struct timespec deadline = in_a_while();

	if (pthread_mutex_timedlock(&lock, &deadline) == ETIMEDOUT) {
		__atomic_fetch_add(&skipped, 1, __ATOMIC_SEQ_CST);
	} else {
		count++;
		pthread_mutex_unlock(&lock);
	}
	sem_post(&posts);
	return unused;
}

int main(void)
{
	struct timespec deadline = in_a_while();
	pthread_t threads[2];

	sem_init(&posts, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	assert(sem_timedwait(&posts, &deadline) == 0 || errno == ETIMEDOUT);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count + skipped == 2);
	return 0;
}
