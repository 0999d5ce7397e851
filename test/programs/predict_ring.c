// Three threads and three locks, each taken with the next: no two of them are in each other's way.
// build: -pthread
// plain: lib/turn.c
// stdout: 3
// predict: deadlock a@SECOND b@SECOND c@SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
		       c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *const ring[3] = { &a, &b, &c };
static int numbers[3] = { 0, 1, 2 }, count;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void *take_two(void *number)
{
	int i = *(int *)number;

	turn_wait(i);
	pthread_mutex_lock(ring[i]);
	pthread_mutex_lock(ring[(i + 1) % 3]); // SECOND
	pthread_mutex_lock(&counting);
	count++;
	pthread_mutex_unlock(&counting);
	pthread_mutex_unlock(ring[(i + 1) % 3]);
	pthread_mutex_unlock(ring[i]);
	turn_done();
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, take_two, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
	return 0;
}
