// A read-write lock that is taken by clockrdlock and clockwrlock is the program's own, as one that is taken by rdlock: what two
// readers write is a race, what a writer writes is none.
// build: -pthread
// plain: lib/turn.c
// stdout: 3 3
// predict: race loose@FIRST loose@SECOND
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

void turn_wait(int number);
void turn_done(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int guarded, loose;

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

	pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until);
	guarded = 1;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
	loose = 1; // FIRST
	pthread_rwlock_unlock(&lock);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	struct timespec until = in_a_day();

	turn_wait(1);
	pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until);
	guarded = 3;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
	loose = 3; // SECOND
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, first, NULL);
	pthread_create(&two, NULL, second, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	printf("%d %d\n", guarded, loose);
	return 0;
}
