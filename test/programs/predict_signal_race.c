// What a signal handler does is its thread's doing, where it cut in: it races with what other threads do without a
// lock, also after they sent the signal.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2 2
// predict: race loose@HANDLER loose@SENDER
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static sem_t there, over;
static int before, loose;
static volatile int seen;

static void on_signal(int number)
{
	(void)number;
	seen = before;
	loose = 1; // HANDLER
	turn_done();
}

static void *target(void *unused)
{
	sem_post(&there);
	sem_wait(&over);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&there, 0, 0);
	sem_init(&over, 0, 0);
	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, target, NULL);
	sem_wait(&there);
	before = 1;
	pthread_kill(thread, SIGUSR1);
	turn_wait(1);
	sem_trywait(&there); /* has a time, so the handler is known to have been before */
	loose = 2;	     // SENDER
	sem_post(&over);
	pthread_join(thread, NULL);
	printf("%d %d %d\n", seen, loose, before + 1);
	return 0;
}
