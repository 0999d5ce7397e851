/* What the programs for `sooth explore -p` share: two threads, and functions that are events. */
#ifndef PAIR_H
#define PAIR_H

#include <pthread.h>

#define EVENT __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline void enter(void)
{
	pthread_mutex_lock(&lock);
}

static inline void leave(void)
{
	pthread_mutex_unlock(&lock);
}

/* The first one runs to its end in the run that is recorded, unless it has to wait. */
static void *first(void *unused);
static void *second(void *unused);

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}

#endif
