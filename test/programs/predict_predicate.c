// The same with a predicate under the lock: a wait that begins is one that will be signalled.
// build: -pthread
// plain: lib/turn.c
// stdout: woken
// predict: silent
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *await(void *unused)
{
	pthread_mutex_lock(&lock);
	turn_done();
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	puts("woken");
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, await, NULL);
	turn_wait(1);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
