// A counter of hits is kept under the read lock, since its users "only read" the table.
// explore: assertion FAILS
// build: -pthread
#include <assert.h>
#include <pthread.h>

#include "work.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4], hits;

static void *look_up(void *unused)
{
#ifdef FIXED
	pthread_rwlock_wrlock(&lock);
#else
	pthread_rwlock_rdlock(&lock);
#endif
	if (table[1] == 0)
		hits++;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, look_up, NULL);
		work(10);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(hits == 3); // FAILS
	return 0;
}
