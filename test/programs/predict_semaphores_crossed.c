// Two semaphores taken in opposite orders: each thread can have one and wait for the other.
// build: -pthread
// plain: lib/turn.c
// stdout: 2
// predict: deadlock right@LEFT_RIGHT left@RIGHT_LEFT T1@JOIN
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static sem_t left, right;
static int count;

static void *left_right(void *unused)
{
	sem_wait(&left);
	sem_wait(&right); // LEFT_RIGHT
	count++;
	sem_post(&right);
	sem_post(&left);
	turn_done();
	return unused;
}

static void *right_left(void *unused)
{
	turn_wait(1);
	sem_wait(&right);
	sem_wait(&left); // RIGHT_LEFT
	count++;
	sem_post(&left);
	sem_post(&right);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&left, 0, 1);
	sem_init(&right, 0, 1);
	pthread_create(&threads[0], NULL, left_right, NULL);
	pthread_create(&threads[1], NULL, right_left, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL); // JOIN
	printf("%d\n", count);
	return 0;
}
