// LIBS: -lck

// A ticket lock of Concurrency Kit.
#include <ck_spinlock.h>
#include <pthread.h>

static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
static int values[2];

static void *worker(void *unused)
{
#ifndef BUG
	ck_spinlock_ticket_lock(&lock);
#endif
	values[0]++;
	values[1] = values[0];
#ifndef BUG
	ck_spinlock_ticket_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return values[1] < 1;
}
