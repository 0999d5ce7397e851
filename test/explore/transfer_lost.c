// Transfers that lock each account for itself: the sum is computed from a balance that has changed.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>

#include "work.h"

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account accounts[2] = {
	{ PTHREAD_MUTEX_INITIALIZER, 100 },
	{ PTHREAD_MUTEX_INITIALIZER, 100 },
};

static int read_balance(struct account *account)
{
	int balance;

	pthread_mutex_lock(&account->lock);
	balance = account->balance;
	pthread_mutex_unlock(&account->lock);
	return balance;
}

static void add(struct account *account, int amount)
{
#ifdef FIXED
	pthread_mutex_lock(&account->lock);
	account->balance += amount;
	pthread_mutex_unlock(&account->lock);
#else
	int balance = read_balance(account) + amount;

	pthread_mutex_lock(&account->lock);
	account->balance = balance;
	pthread_mutex_unlock(&account->lock);
#endif
}

static void *transfer(void *from_first)
{
	add(&accounts[from_first == NULL], -10);
	add(&accounts[from_first != NULL], 10);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, transfer, NULL);
	work(10);
	pthread_create(&threads[1], NULL, transfer, accounts);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(read_balance(&accounts[0]) + read_balance(&accounts[1]) == 200); // FAILS
	return 0;
}
