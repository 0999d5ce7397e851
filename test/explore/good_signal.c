// A thread sends itself a signal while another waits for one.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t handled;

static void handle(int number)
{
	(void)number;
	handled = 1;
}

static void *await(void *unused)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert(sigwait(&set, &number) == 0 && number == SIGUSR2);
	return unused;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	signal(SIGUSR1, handle);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, await, NULL);
	raise(SIGUSR1);
	assert(handled);
	pthread_kill(thread, SIGUSR2);
	pthread_join(thread, NULL);
	return 0;
}
