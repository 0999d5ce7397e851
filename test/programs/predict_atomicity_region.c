// An annotated region reads and writes under a lock, but not under one and the same: what another
// thread writes in between is lost. With one critical section around both nothing is torn.
// build: -pthread
// plain: lib/turn.c
// stdout: 500 500
// predict: atomicity balance@GET balance@SET balance@PUT
#include "../../include/sooth/annotate.h"
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance = 100, whole = 100;

static long get(void)
{
	long value;

	pthread_mutex_lock(&lock);
	value = balance; // GET
	pthread_mutex_unlock(&lock);
	return value;
}

static void *withdraw(void *unused)
{
	long value;

	turn_wait(1);
	SOOTH_ATOMIC_BEGIN(withdraw);
	value = get();
	pthread_mutex_lock(&lock);
	balance = value - 10; // PUT
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(withdraw);
	SOOTH_ATOMIC_BEGIN(locked);
	pthread_mutex_lock(&lock);
	whole -= 10;
	pthread_mutex_unlock(&lock);
	SOOTH_ATOMIC_END(locked);
	turn_done();
	return unused;
}

static void *reset(void *unused)
{
	turn_wait(2);
	pthread_mutex_lock(&lock);
	balance = 500; // SET
	whole = 500;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, withdraw, NULL);
	pthread_create(&threads[1], NULL, reset, NULL);
	turn_done();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%ld %ld\n", balance, whole);
	return 0;
}
