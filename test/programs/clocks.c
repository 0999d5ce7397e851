// Waits against the monotonic clock that time out: clocklock, clockwait, timedjoin, tryjoin.
// build: -pthread
// stdout: 1 1 1 1
// count: 1 ^T1\|tryacq\(.*\)=timeout\|
// count: 1 ^T0\|woken\(.*\)=timeout\|
// count: 1 \|join\(
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static const struct timespec past = { 0, 1 };
static int busy;

static void *run(void *unused)
{
	busy = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, run, NULL);
	int alive = pthread_tryjoin_np(thread, NULL) == EBUSY;
	int late = pthread_timedjoin_np(thread, NULL, &past) == ETIMEDOUT;
	pthread_mutex_unlock(&gate);
	pthread_join(thread, NULL);
	int waited = pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
	pthread_mutex_unlock(&lock);
	printf("%d %d %d %d\n", busy, alive, late, waited);
	return 0;
}
