// A timer whose signals come faster than a handler runs under control: the threads go on all the same.
// build: -pthread
// stdout: all have slept
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#define THREADS 20

static void ignore(int number)
{
	(void)number;
}

static void *sleep_once(void *unused)
{
	struct timespec left = { .tv_nsec = 100000000 };

	while (nanosleep(&left, &left) != 0)
		;
	return unused;
}

int main(void)
{
	struct itimerval timer = { { 0, 10 }, { 0, 10 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, sleep_once, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	puts("all have slept");
	return 0;
}
