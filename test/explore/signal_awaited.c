// A thread that waits for signals tells others to stop, without the lock that they look under: one may look, be
// told, and then wait. The signal is there before it is waited for: that makes nobody else go first.
// explore: lost-signal|deadlock WAITS
// build: -pthread
// fixed: no
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;
static sigset_t set;

static void *await(void *unused)
{
	int number;

	sigwait(&set, &number);
	stop = 1;
	pthread_cond_broadcast(&changed);
	return unused;
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!stop)
		pthread_cond_wait(&changed, &lock); // WAITS
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t waiter, worker;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGTERM);
	pthread_create(&waiter, NULL, await, NULL);
	pthread_create(&worker, NULL, work, NULL);
	pthread_join(waiter, NULL);
	pthread_join(worker, NULL);
	return 0;
}
