// Signals that are sent to threads which have hardly begun: their handlers are theirs, and race with nobody.
// build: -pthread
// stdout: handled 20
// count: 20 ^T[0-9]+\|handler\(T[0-9]+,10\)
// count: 20 ^T[0-9]+\|begin\(.*signal_early
// predict: silent
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static _Thread_local volatile sig_atomic_t handled;
static volatile sig_atomic_t last;
static sem_t sent;
static int sum;

static void handle(int number)
{
	last = number;
	handled = 1;
}

static void *look(void *unused)
{
	sem_wait(&sent);
	sched_yield(); // it comes back with all that was sent before
	sum += handled && last == SIGUSR1;
	return unused;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	sem_init(&sent, 0, 0);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, look, NULL);
		pthread_kill(thread, SIGUSR1);
		sem_post(&sent);
		pthread_join(thread, NULL);
	}
	printf("handled %d\n", sum);
	return 0;
}
