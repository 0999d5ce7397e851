// Semaphores: one that starts with 1 excludes and one that starts with 0 hands over; one that
// starts with 2 lets both in.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2 1
// predict: race loose@FIRST loose@SECOND
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static sem_t one, two, handed;
static int guarded, loose, given;

static void *first(void *unused)
{
	sem_wait(&one);
	guarded = 1;
	sem_post(&one);
	sem_wait(&two);
	loose = 1; // FIRST
	sem_post(&two);
	given = 1;
	sem_post(&handed);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	sem_wait(&one);
	guarded = 2;
	sem_post(&one);
	sem_wait(&two);
	loose = 2; // SECOND
	sem_post(&two);
	sem_wait(&handed);
	printf("%d %d %d\n", guarded, loose, given);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	sem_init(&one, 0, 1);
	sem_init(&two, 0, 2);
	sem_init(&handed, 0, 0);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
