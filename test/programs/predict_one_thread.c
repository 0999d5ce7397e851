// Opposite lock orders in one thread, and in a thread that is joined before the other starts.
// build: -pthread
// stdout: 3
// predict: silent
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void nest(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
	pthread_mutex_lock(outer);
	pthread_mutex_lock(inner);
	count++;
	pthread_mutex_unlock(inner);
	pthread_mutex_unlock(outer);
}

static void *both(void *unused)
{
	nest(&left, &right);
	nest(&right, &left);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, both, NULL);
	pthread_join(thread, NULL);
	nest(&left, &right);
	printf("%d\n", count);
	return 0;
}
