// Results of mutexes of all kinds, read-write locks, conditions, semaphores, barriers, C11: also the odd ones.
#include "say.h"

#include <limits.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static const struct timespec bad = { .tv_nsec = 2000000000 }, negative = { .tv_nsec = -1 },
			     past = { 1, 0 };

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	SAY(pthread_mutexattr_settype(&a, type));
	SAY(pthread_mutexattr_setrobust(&a, robust));
	SAY(pthread_mutexattr_setprotocol(&a, protocol));
	SAY(pthread_mutex_init(&mutex, &a));
	SAY(pthread_mutexattr_destroy(&a));
}

static void *others_view(void *unused)
{
	SAY(pthread_mutex_trylock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, &past));
	SAY(pthread_mutex_timedlock(&mutex, &bad));
	SAY(pthread_mutex_timedlock(&mutex, &negative));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &past));
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
	return unused;
}

static void *unlock_it(void *unused)
{
	SAY(pthread_mutex_unlock(&mutex));
	return unused;
}

static void kinds(void)
{
	make(PTHREAD_MUTEX_ERRORCHECK, 0, 0);
	SAY(pthread_mutex_unlock(&mutex));
	SAY_ERRNO(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	say_in_thread(others_view, NULL);
	say_in_thread(unlock_it, NULL);
	SAY(pthread_mutex_destroy(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_destroy(&mutex));
	make(PTHREAD_MUTEX_RECURSIVE, 0, 0);
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, &past));
	say_in_thread(others_view, NULL);
	say_in_thread(unlock_it, NULL);
	for (int i = 0; i < 5; i++)
		SAY(pthread_mutex_unlock(&mutex));
	make(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT);
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, &bad)); /* it is free: nobody looks at the time */
	SAY(pthread_mutex_unlock(&mutex));
}

static void *die_with_it(void *unused)
{
	SAY(pthread_mutex_lock(&mutex));
	return unused;
}

static void robust(int repair)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 0);
	say_in_thread(die_with_it, NULL);
	SAY(pthread_mutex_trylock(&mutex));
	if (repair)
		SAY(pthread_mutex_consistent(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_consistent(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_destroy(&mutex));
}

static void read_write(void)
{
	SAY(pthread_rwlock_rdlock(&rw));
	SAY(pthread_rwlock_tryrdlock(&rw));
	SAY(pthread_rwlock_trywrlock(&rw));
	SAY(pthread_rwlock_timedwrlock(&rw, &past));
	SAY(pthread_rwlock_timedwrlock(&rw, &bad));
	SAY(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &past));
	SAY(pthread_rwlock_unlock(&rw));
	SAY(pthread_rwlock_unlock(&rw));
	SAY(pthread_rwlock_wrlock(&rw));
	SAY(pthread_rwlock_wrlock(&rw));
	SAY(pthread_rwlock_rdlock(&rw));
	SAY(pthread_rwlock_tryrdlock(&rw));
	SAY(pthread_rwlock_timedrdlock(&rw, &past));
	SAY(pthread_rwlock_unlock(&rw));
}

static void waits(void)
{
	sem_t sem;
	pthread_barrier_t barrier;
	pthread_spinlock_t spin;

	make(PTHREAD_MUTEX_NORMAL, 0, 0);
	pthread_mutex_lock(&mutex);
	SAY(pthread_cond_timedwait(&cond, &mutex, &past));
	SAY(pthread_cond_timedwait(&cond, &mutex, &bad));
	SAY(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past));
	SAY(pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &past));
	SAY(pthread_cond_clockwait(&cond, &mutex, 77, &past));
	SAY(pthread_cond_signal(&cond));
	SAY(pthread_cond_broadcast(&cond));
	pthread_mutex_unlock(&mutex);
	SAY_ERRNO(sem_init(&sem, 0, UINT_MAX));
	SAY_ERRNO(sem_init(&sem, 0, 0));
	SAY_ERRNO(sem_trywait(&sem));
	SAY_ERRNO(sem_timedwait(&sem, &past));
	SAY_ERRNO(sem_timedwait(&sem, &bad));
	SAY_ERRNO(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
	SAY_ERRNO(sem_post(&sem));
	SAY_ERRNO(sem_timedwait(&sem, &bad));
	SAY(sem_destroy(&sem));
	SAY(pthread_barrier_init(&barrier, NULL, 0));
	SAY(pthread_barrier_init(&barrier, NULL, 1));
	SAY(pthread_barrier_wait(&barrier));
	SAY(pthread_barrier_destroy(&barrier));
	SAY(pthread_spin_init(&spin, 0));
	SAY(pthread_spin_lock(&spin));
	SAY(pthread_spin_trylock(&spin));
	SAY(pthread_spin_unlock(&spin));
}

static void c11(void)
{
	mtx_t lock;
	cnd_t changed;

	SAY(mtx_init(&lock, mtx_timed | mtx_recursive));
	SAY(mtx_init(&lock, 99));
	SAY(mtx_init(&lock, mtx_timed));
	SAY(mtx_lock(&lock));
	SAY(mtx_trylock(&lock));
	SAY(mtx_timedlock(&lock, &past));
	SAY(cnd_init(&changed));
	SAY(cnd_timedwait(&changed, &lock, &past));
	SAY(cnd_timedwait(&changed, &lock, &bad));
	SAY(cnd_signal(&changed));
	SAY(mtx_unlock(&lock));
	SAY(thrd_sleep(&negative, NULL));
}

int main(void)
{
	kinds();
	robust(1);
	robust(0);
	read_write();
	waits();
	c11();
	return 0;
}
