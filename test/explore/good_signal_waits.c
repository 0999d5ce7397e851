// Handlers end a wait at a semaphore, and wake who waits for them; each runs where its thread has the turn.
// explore: open
// build: -pthread
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t never, handled;
static volatile sig_atomic_t told;
static int ended;

static void handle(int number)
{
	told = number;
	sem_post(&handled);
}

static void *wait_for_it(void *unused)
{
	while (!told && !(sem_wait(&never) == 0 || errno != EINTR))
		ended++;
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	sem_init(&never, 0, 0);
	sem_init(&handled, 0, 0);
	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_kill(thread, SIGUSR1);
	sem_wait(&handled);
	sem_post(&never); /* it may not have waited yet */
	pthread_join(thread, NULL);
	assert(told == SIGUSR1 && ended <= 1);
	return 0;
}
