// Setters write a, then b; a checker that comes in between sees one without the other. It must come
// before any of the setters has written b, so the more there are, the less chance decides it.
#include <assert.h>
#include <pthread.h>

#include "work.h"

static int a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void *set(void *unused)
{
	enter();
	a = 1;
	b = -1;
	leave();
	return unused;
}

static void *check(void *unused)
{
	int seen_a, seen_b;

	enter();
	seen_a = a;
	seen_b = b;
	leave();
	assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1)); // FAILS
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	(void)lock;
	for (int i = 0; i < THREADS - 1; i++)
		pthread_create(&threads[i], NULL, set, NULL);
	work(10);
	pthread_create(&threads[THREADS - 1], NULL, check, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
