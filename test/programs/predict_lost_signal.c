// A wait without a condition to test: the signal can come first, and then nobody wakes it.
// build: -pthread
// plain: lib/turn.c
// stdout: woken
// predict: lost-signal changed@WAIT T1@JOIN
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *await(void *unused)
{
	pthread_mutex_lock(&lock);
	turn_done();
	pthread_cond_wait(&changed, &lock); // WAIT
	pthread_mutex_unlock(&lock);
	puts("woken");
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, await, NULL);
	turn_wait(1);
	pthread_mutex_lock(&lock); /* free only when the other waits */
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL); // JOIN
	return 0;
}
