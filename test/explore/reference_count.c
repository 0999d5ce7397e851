// A reference count goes down in one step and is looked at in another: both users see zero.
// explore: use-after-free|misuse|crash FREES
// build: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "work.h"

static atomic_int references = 2;

static void *drop(void *object)
{
#ifdef FIXED
	if (atomic_fetch_sub(&references, 1) == 1)
#else
	atomic_fetch_sub(&references, 1);
	if (references == 0)
#endif
		free(object); // FREES
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	void *object = malloc(16);

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, drop, object);
		work(10);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
