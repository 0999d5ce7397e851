// Two threads count without a lock; another counter is atomic, which is no race.
// property: race
// violates: DataRace rd@READ wr@WRITE
// leads: DataRace wr@WRITE wr@WRITE
#include <pthread.h>
#include <stdatomic.h>

static int counter;
static atomic_int atomic_counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	int seen = counter; // READ
	counter = seen + 1; // WRITE
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	atomic_fetch_add(&atomic_counter, 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	return atomic_counter != 2;
}
