// A race that the order of the lock hid: whoever takes the lock in the other order sees it. The
// same with both accesses inside is none.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loose, guarded;

static void *first(void *unused)
{
	loose = 1; // FIRST
	pthread_mutex_lock(&lock);
	guarded = 1;
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	guarded = 2;
	pthread_mutex_unlock(&lock);
	loose = 2; // SECOND
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", loose, guarded);
	return 0;
}
