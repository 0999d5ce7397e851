// The balance is looked at in one critical section and taken from in another.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *amount)
{
	int wanted = (int)(intptr_t)amount;
	int there;

	pthread_mutex_lock(&lock);
	there = balance;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (there >= wanted)
		balance -= wanted;
	assert(balance >= 0); // FAILS
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, withdraw, (void *)(intptr_t)60);
		work(10);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
