// Threads that send each other signals whatever they do: handlers in handlers, jumps, waits of all kinds. All come to their ends.
#include "say.h"

#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 40

static pthread_t threads[THREADS];
static sem_t sems[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static atomic_int handled, done;
static int shared, ends[2];
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t armed;

static void inner(int number)
{
	(void)number;
	handled++;
}

static void outer(int number)
{
	(void)number;
	sem_post(&sems[handled++ % THREADS]);
	raise(SIGUSR1);
}

static void escape(int number)
{
	if (armed) {
		armed = 0;
		siglongjmp(back, number);
	}
}

static struct timespec soon(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += 1000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

static void wait_somehow(int way, sem_t *own)
{
	struct timespec until = soon(), moment = { .tv_nsec = 1000000 };
	char byte = 0;

	switch (way) {
	case 0: nanosleep(&moment, NULL); break;
	case 1:
		sem_post(own);
		while (sem_wait(own) < 0)
			;
		break;
	case 2: sem_timedwait(own, &until); break;
	case 3:
		pthread_mutex_lock(&lock);
		pthread_cond_timedwait(&changed, &lock, &until);
		shared++;
		pthread_mutex_unlock(&lock);
		break;
	case 4:
		if (sigsetjmp(back, 1) == 0) {
			armed = 1;
			usleep(2000);
			armed = 0;
		}
		break;
	case 5:
		if (write(ends[1], &byte, 1) == 1)
			while (read(ends[0], &byte, 1) < 0)
				;
		break;
	default:
		pthread_mutex_lock(&lock);
		shared++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
}

static void *pester(void *number)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, SIGTERM };
	int self = *(int *)number;

	pthread_barrier_wait(&all);
	for (volatile int i = 0; i < ROUNDS; i++) {
		pthread_kill(threads[(self + 1 + i) % THREADS], signals[i % 3]);
		wait_somehow((i + self) % 7, &sems[self]);
	}
	done++;
	pthread_barrier_wait(&all); /* nobody is sent anything when it is over */
	return NULL;
}

int main(void)
{
	struct sigaction a = { .sa_handler = inner, .sa_flags = SA_RESTART };
	int numbers[THREADS];

	sigaction(SIGUSR1, &a, NULL);
	a = (struct sigaction){ .sa_handler = outer };
	sigaction(SIGUSR2, &a, NULL);
	a.sa_handler = escape;
	sigaction(SIGTERM, &a, NULL);
	if (pipe(ends))
		return 1;
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		sem_init(&sems[i], 0, 0);
		pthread_create(&threads[i], NULL, pester, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	SAY(done);
	return 0;
}
