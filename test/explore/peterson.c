// Peterson's lock that lets the other go first before it says that it wants to: both may enter.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "work.h"

static atomic_bool wants[2];
static atomic_int turn, inside;

static void *enter(void *second)
{
	int me = second != NULL, other = !me;

#ifdef FIXED
	wants[me] = true;
	turn = other;
#else
	turn = other;
	wants[me] = true;
#endif
	while (wants[other] && turn == other)
		;
	assert(atomic_fetch_add(&inside, 1) == 0); // FAILS
	atomic_fetch_sub(&inside, 1);
	wants[me] = false;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, enter, NULL);
	work(10);
	pthread_create(&threads[1], NULL, enter, wants);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
