// A signal that really came too early: nobody goes on, with no cycle among them.
// build: -pthread
// plain: lib/turn.c
// hangs: yes
// predict: observed deadlock changed@WAIT T1@JOIN
#include <pthread.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *await(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&changed, &lock); // WAIT
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, await, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	turn_done();
	pthread_join(thread, NULL); // JOIN
	return 0;
}
