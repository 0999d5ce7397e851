// The same opposite orders under a lock that both hold: silent.
// build: -pthread
// plain: lib/turn.c
// stdout: 2
// predict: silent
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *left_right(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	count++;
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&gate);
	turn_done();
	return unused;
}

static void *right_left(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	count++;
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&gate);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, left_right, NULL);
	pthread_create(&threads[1], NULL, right_left, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
	return 0;
}
