// A collector stops all threads: they wait in a handler until they are told to go on, by a signal or by what they look at.
#include "say.h"

#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS 3
#define WAYS 4

static pthread_t threads[THREADS];
static sem_t here;
static atomic_int stopped, over;
static volatile sig_atomic_t way;
static volatile long cells[THREADS];

static void go_on(int number)
{
	(void)number;
}

static void wait_a_little(const sigset_t *mask)
{
	switch (way) {
	case 0: sigsuspend(mask); break;
	case 1: sched_yield(); break;
	case 2: usleep(100); break;
	}
}

static void stop(int number)
{
	sigset_t mask;

	(void)number;
	sigfillset(&mask);
	sigdelset(&mask, SIGUSR2);
	sem_post(&here);
	while (stopped)
		wait_a_little(&mask);
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
	for (way = 0; way < WAYS; way++) {
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
