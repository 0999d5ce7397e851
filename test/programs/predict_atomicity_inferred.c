// Checked in one critical section and done in the next: no race, and nobody annotated it, so it is
// a warning; a run in which the other thread takes all of them in between fails.
// build: -pthread
// plain: lib/turn.c
// stdout: 0
// predict: silent
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items = 2;

static int is_empty(void)
{
	int empty;

	pthread_mutex_lock(&lock);
	empty = items == 0;
	pthread_mutex_unlock(&lock);
	return empty;
}

static void take(void)
{
	if (is_empty())
		return;
	pthread_mutex_lock(&lock);
	items--;
	assert(items >= 0);
	pthread_mutex_unlock(&lock);
}

static void *first(void *unused)
{
	take();
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	items = 0;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%d\n", items);
	return 0;
}
