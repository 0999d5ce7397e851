// Back-off by trylock in the opposite order, again and again: no deadlock, and nothing is lost.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (;;) {
		pthread_mutex_lock(first);
		if (pthread_mutex_trylock(second) == 0)
			break;
		pthread_mutex_unlock(first);
		sched_yield();
	}
	count++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *left_right(void *unused)
{
	take_both(&left, &right);
	return unused;
}

static void *right_left(void *unused)
{
	take_both(&right, &left);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, left_right, NULL);
	pthread_create(&threads[1], NULL, right_left, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 2);
	return 0;
}
