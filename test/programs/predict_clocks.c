// clocklock and clockwait order as lock and wait do: what is under the lock, or behind a wait that was woken, is
// silent, what is outside is not.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 1 2
// count: 2 ^T[12]\|acq\(lock\)=timed\|
// count: 1 \|woken\(changed,lock\)\|
// predict: race loose@FIRST loose@SECOND
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int guarded, ready, loose;

static struct timespec in_a_day(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now.tv_sec += 86400;
	return now;
}

static void *first(void *unused)
{
	struct timespec until = in_a_day();

	loose = 1; // FIRST
	pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until);
	guarded = 1;
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	struct timespec until = in_a_day();

	turn_wait(1);
	pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until);
	guarded = 2;
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	loose = 2; // SECOND
	return unused;
}

int main(void)
{
	struct timespec until = in_a_day();
	pthread_t threads[2];

	pthread_mutex_lock(&lock);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	while (!ready)
		pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until);
	int seen = ready;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", guarded, seen, loose);
	return 0;
}
