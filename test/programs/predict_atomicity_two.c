// Two variables that belong together. The region looks at one and then at the other, each under the
// lock; who moves something from one to the other under the lock can come in between. Where the lock
// is held from the first to the last nothing is torn.
// build: -pthread
// plain: lib/turn.c
// stdout: 100 100
// predict: atomicity from@ADD_FROM from@TAKE to@GIVE to@ADD_TO
#include "../../include/sooth/annotate.h"
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long from = 60, to = 40;
static long left = 60, right = 40;

static void *add(void *argument)
{
	long *sums = argument;

	SOOTH_ATOMIC_BEGIN(add);
	pthread_mutex_lock(&lock);
	sums[0] = from; // ADD_FROM
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	sums[0] += to; // ADD_TO
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(add);
	SOOTH_ATOMIC_BEGIN(sum);
	pthread_mutex_lock(&lock);
	sums[1] = left;
	sums[1] += right;
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(sum);
	turn_done();
	return NULL;
}

static void *move(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	from = 50; // TAKE
	to = 50;   // GIVE
	left = 50;
	right = 50;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t mover, adder;
	static long sums[2];

	pthread_create(&adder, NULL, add, sums);
	pthread_create(&mover, NULL, move, NULL);
	pthread_join(adder, NULL);
	pthread_join(mover, NULL);
	printf("%ld %ld\n", sums[0], sums[1]);
	return 0;
}
