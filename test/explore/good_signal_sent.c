// A thread may have been sent a signal before or behind its look at what the handler does.
// explore: open
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t handled;
static int seen = -1;

static void handle(int number)
{
	handled = number;
}

static void *look(void *unused)
{
	seen = handled;
	return unused;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, look, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	assert(seen == 0 || seen == SIGUSR1);
	return 0;
}
