// LIBS: -lck

// A spin lock of Concurrency Kit is inline assembly.
#include <ck_spinlock.h>
#include <pthread.h>

static ck_spinlock_t lock = CK_SPINLOCK_INITIALIZER;
static int count;

static void *worker(void *unused)
{
	for (int i = 0; i < 3; i++) {
#ifndef BUG
		ck_spinlock_lock(&lock);
#endif
		count++;
#ifndef BUG
		ck_spinlock_unlock(&lock);
#endif
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return count < 3;
}
