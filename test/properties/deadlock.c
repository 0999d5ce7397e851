// Two accounts, each with a lock; transfers in both directions take them in opposite order. The
// third pair is taken in opposite order too, but under a gate.
// property: deadlock
// violates: Deadlock r12@SECOND r21@SECOND
// unseen-ok: DeadlockOfThree
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	long money;
};
static struct account accounts[2] = { { PTHREAD_MUTEX_INITIALIZER, 100 },
				      { PTHREAD_MUTEX_INITIALIZER, 100 } };
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void transfer(struct account *from, struct account *to, long much)
{
	struct account *first = from, *second = to;

#ifdef FIXED
	if (first > second) {
		first = to;
		second = from;
	}
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock); // SECOND
	from->money -= much;
	to->money += much;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

static void both(int first)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&inner[first]);
	pthread_mutex_lock(&inner[1 - first]);
	pthread_mutex_unlock(&inner[1 - first]);
	pthread_mutex_unlock(&inner[first]);
	pthread_mutex_unlock(&gate);
}

static void *there(void *unused)
{
	transfer(&accounts[0], &accounts[1], 10);
	both(0);
	return unused;
}

static void *back(void *unused)
{
	transfer(&accounts[1], &accounts[0], 10);
	both(1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, there, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return accounts[0].money != 100;
}
