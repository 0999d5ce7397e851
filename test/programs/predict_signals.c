// Who waits for a signal, and the handler of one, come after what was done before it was sent.
// build: -pthread
// stdout: 2 2
// count: 1 ^T1\|sync\|.*predict_signals
// text: ^T[0-9]+\|handler\(T1,12\)
// predict: silent
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static sem_t ready, handled;
static int awaited, interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted++;
	sem_post(&handled);
}

static void *target(void *unused)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &number);
	awaited++;
	sem_post(&ready);
	while (sem_wait(&handled))
		;
	return unused;
}

int main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR2, on_signal);
	sem_init(&ready, 0, 0);
	sem_init(&handled, 0, 0);
	pthread_create(&thread, NULL, target, NULL);
	awaited = 1;
	pthread_kill(thread, SIGUSR1);
	sem_wait(&ready);
	interrupted = 1;
	pthread_kill(thread, SIGUSR2);
	pthread_join(thread, NULL);
	printf("%d %d\n", awaited, interrupted);
	return 0;
}
