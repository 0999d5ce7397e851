// A recursive mutex is free after as many unlocks as locks: not before, and not later.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@OUTSIDE loose@INSIDE
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int guarded, loose;

static void *first(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	guarded = 1;
	pthread_mutex_unlock(&lock);
	loose = 1; // OUTSIDE
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	guarded = 2;
	loose = 2; // INSIDE
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", guarded, loose);
	return 0;
}
