// A gate opens for all and signals one. As a rule those who come find it open.
// explore: lost-signal|deadlock WAITS
// build: -pthread
#include <pthread.h>
#include <stdbool.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *open_gate(void *unused)
{
	pthread_mutex_lock(&lock);
	is_open = true;
#ifdef FIXED
	pthread_cond_broadcast(&opened);
#else
	pthread_cond_signal(&opened);
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *pass(void *unused)
{
	work(60);
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock); // WAITS
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t keeper, walkers[2];

	pthread_create(&keeper, NULL, open_gate, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&walkers[i], NULL, pass, NULL);
	pthread_join(keeper, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(walkers[i], NULL);
	return 0;
}
