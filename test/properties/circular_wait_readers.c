// A table is read and a row is locked inside of it; another thread has the row and writes the table. A third
// pair is taken in opposite orders too, but by readers, a trylock and a timed lock, which wait for nobody for
// ever. (Under control a thread asks for a lock as soon as it comes there: the writer, who has the row first,
// cannot be made to ask last.)
// property: circular-wait
// violates: NoCircularWait want@ROW
// violates: NoCircularWait want@TABLE
// unconfirmed: NoCircularWait want@TABLE
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER, names = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t row = PTHREAD_MUTEX_INITIALIZER, index_ = PTHREAD_MUTEX_INITIALIZER,
		       journal = PTHREAD_MUTEX_INITIALIZER;

static void *read_table(void *unused)
{
	pthread_rwlock_rdlock(&table);
	pthread_mutex_lock(&row); // ROW
	pthread_mutex_unlock(&row);
	pthread_rwlock_unlock(&table);

	pthread_rwlock_rdlock(&names);
	pthread_mutex_lock(&index_);
	if (!pthread_mutex_trylock(&journal))
		pthread_mutex_unlock(&journal);
	pthread_mutex_unlock(&index_);
	pthread_rwlock_unlock(&names);
	return unused;
}

static void *write_table(void *unused)
{
	struct timespec when;

	pthread_mutex_lock(&row);
#ifdef FIXED
	pthread_rwlock_rdlock(&table);
#else
	pthread_rwlock_wrlock(&table); // TABLE
#endif
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&row);

	pthread_mutex_lock(&index_);
	pthread_rwlock_rdlock(&names);
	pthread_rwlock_unlock(&names);
	pthread_mutex_unlock(&index_);

	clock_gettime(CLOCK_REALTIME, &when);
	when.tv_sec += 3600;
	pthread_mutex_lock(&journal);
	if (!pthread_mutex_timedlock(&index_, &when))
		pthread_mutex_unlock(&index_);
	pthread_mutex_unlock(&journal);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, read_table, NULL);
	pthread_create(&threads[1], NULL, write_table, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
