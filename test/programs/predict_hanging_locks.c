// Two threads meet with a lock each and want the other's: the deadlock happens, and is observed.
// build: -pthread
// plain: lib/turn.c
// hangs: yes
// predict: observed deadlock right@LEFT_RIGHT left@RIGHT_LEFT
#include <pthread.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *left_right(void *unused)
{
	pthread_mutex_lock(&left);
	turn_done();
	turn_wait(2);
	pthread_mutex_lock(&right); // LEFT_RIGHT
	return unused;
}

static void *right_left(void *unused)
{
	pthread_mutex_lock(&right);
	turn_done();
	turn_wait(2);
	pthread_mutex_lock(&left); // RIGHT_LEFT
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, left_right, NULL);
	pthread_create(&threads[1], NULL, right_left, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
