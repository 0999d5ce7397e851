// A collector stops all threads: they wait in a handler until they are told to go on, whatever they were at.
#include "say.h"

#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#define THREADS 3
#define ROUNDS 5

static pthread_t threads[THREADS];
static sem_t here;
static atomic_int stopped, over;
static volatile long cells[THREADS];

static void go_on(int number)
{
	(void)number;
}

static void stop(int number)
{
	sigset_t mask;

	(void)number;
	sigfillset(&mask);
	sigdelset(&mask, SIGUSR2);
	sem_post(&here);
	while (stopped)
		sigsuspend(&mask);
	sem_post(&here);
}

static void *work(void *cell)
{
	while (!over) {
		++*(volatile long *)cell;
		sched_yield();
	}
	return NULL;
}

static void tell_all(int number)
{
	for (int i = 0; i < THREADS; i++)
		pthread_kill(threads[i], number);
	for (int i = 0; i < THREADS; i++)
		while (sem_wait(&here))
			;
}

static long sum(void)
{
	long all = 0;

	for (int i = 0; i < THREADS; i++)
		all += cells[i];
	return all;
}

int main(void)
{
	struct sigaction a = { .sa_handler = stop, .sa_flags = SA_RESTART };

	sigfillset(&a.sa_mask);
	sigaction(SIGUSR1, &a, NULL);
	a.sa_handler = go_on;
	sigaction(SIGUSR2, &a, NULL);
	sem_init(&here, 0, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)&cells[i]);
	for (int i = 0; i < ROUNDS; i++) {
		stopped = 1;
		tell_all(SIGUSR1);
		long before = sum();
		say_work(1000);
		SAY(sum() == before);
		stopped = 0;
		tell_all(SIGUSR2);
	}
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
