// Two threads hand a ball to and fro until a third, which sleeps, says that it is enough. Where threads take
// turns time stands still while anybody can go on; who sleeps wakes all the same.
// build: -pthread
// stdout: over
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int over, ball;

static void *play(void *self)
{
	int mine = self != NULL;

	pthread_mutex_lock(&lock);
	while (!over) {
		while (ball != mine && !over)
			pthread_cond_wait(&passed, &lock);
		ball = !mine;
		pthread_cond_broadcast(&passed);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t players[2];

	pthread_create(&players[0], NULL, play, NULL);
	pthread_create(&players[1], NULL, play, &ball);
	usleep(20000);
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&passed);
	pthread_mutex_unlock(&lock);
	pthread_join(players[0], NULL);
	pthread_join(players[1], NULL);
	puts("over");
	return 0;
}
