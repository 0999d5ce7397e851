// Three philosophers, three forks.
// property: deadlock
// violates: DeadlockOfThree r12@SECOND r23@SECOND r31@SECOND
#include <pthread.h>

#define MANY 3
static pthread_mutex_t forks[MANY] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				       PTHREAD_MUTEX_INITIALIZER };
static int meals;

static void *dine(void *own)
{
	int left = (int)(long)own, right = (left + 1) % MANY;

#ifdef FIXED
	if (left > right) {
		int other = left;
		left = right;
		right = other;
	}
#endif
	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]); // SECOND
	__atomic_fetch_add(&meals, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
	return NULL;
}

int main(void)
{
	pthread_t threads[MANY];

	for (long i = 0; i < MANY; i++)
		pthread_create(&threads[i], NULL, dine, (void *)i);
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	return meals != MANY;
}
