// What the recorded run itself does wrong is told as observed. A robust mutex may be left to the next,
// and locks that change hands by the rules are fine.
// build: -pthread
// exit: 0
// predict: observed misuse lock@FOREIGN
// predict: observed misuse free@UNLOCKED
// predict: observed misuse shared@READ_UNLOCKED
// predict: observed misuse lock@BUSY
// predict: observed misuse T2@TWICE
// predict: observed misuse T3@DETACHED
// predict: observed misuse gone@GONE
// predict: observed misuse T2@NOWHERE
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, free = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER, gone = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t robust;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t met;

static void *unlock_anothers(void *unused)
{
	pthread_mutex_unlock(&lock); // FOREIGN
	return unused;
}

static void *keep(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

static void *stay(void *unused)
{
	pthread_barrier_wait(&met);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, unlock_anothers, NULL);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_destroy(&lock); // BUSY
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&free);	// UNLOCKED
	pthread_rwlock_unlock(&shared); // READ_UNLOCKED
	pthread_create(&thread, NULL, keep, &kept);
	pthread_join(thread, NULL);
	pthread_join(thread, NULL); // TWICE
	pthread_barrier_init(&met, NULL, 2);
	pthread_create(&thread, NULL, stay, NULL);
	pthread_detach(thread);
	pthread_join(thread, NULL); // DETACHED
	pthread_barrier_wait(&met);
	pthread_mutex_destroy(&gone);
	pthread_mutex_lock(&gone); // GONE
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_create(&thread, NULL, keep, &robust);
	pthread_join(thread, NULL);
	return 0;
}
