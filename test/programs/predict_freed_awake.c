// A condition may be destroyed as soon as those who waited are awakened, a barrier as soon as one
// has passed: both wait until the others have left. Nothing to find.
// build: -pthread
// plain: lib/turn.c
// stdout: 2
// predict: silent
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_barrier_t barrier;
static int woken;

static void *wait(void *unused)
{
	pthread_mutex_lock(&lock);
	turn_done();
	while (!woken)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void wake(void)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	woken = 2;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&changed);
}

int main(void)
{
	pthread_t thread;

	pthread_cond_init(&changed, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait, NULL);
	wake();
	pthread_barrier_wait(&barrier);
	pthread_barrier_destroy(&barrier);
	pthread_join(thread, NULL);
	printf("%d\n", woken);
	return 0;
}
