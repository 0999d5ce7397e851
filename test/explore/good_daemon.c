// A thread waits for work for ever, and the process ends under it: no deadlock, no lost signal.
// explore: complete
// build: -pthread
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs = 1;

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (jobs == 0)
			pthread_cond_wait(&work, &lock);
		jobs--;
	}
	return unused;
}

int main(void)
{
	pthread_t daemon;

	pthread_create(&daemon, NULL, serve, NULL);
	pthread_detach(daemon);
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	return 0;
}
