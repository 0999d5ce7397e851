// Transfers in both directions that lock the giving account first.
// explore: deadlock SECOND
// build: -pthread
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

static void transfer(struct account *from, struct account *to)
{
	struct account *first = from, *second = to;

#ifdef FIXED
	if (to < from) {
		first = to;
		second = from;
	}
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock); // SECOND
	from->balance -= 10;
	to->balance += 10;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

static void *give(void *unused)
{
	transfer(&accounts[0], &accounts[1]);
	return unused;
}

static void *take(void *unused)
{
	transfer(&accounts[1], &accounts[0]);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, give, NULL);
	work(10);
	pthread_create(&threads[1], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
