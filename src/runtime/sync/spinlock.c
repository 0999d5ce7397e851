/* Spin locks: mutexes to a trace. */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/simple_lock.h"
#include "runtime/sched/sched.h"

#define SPIN_FREE 1 /* as glibc has it on this processor */

static int try_spin(void *lock)
{
	return real()->pthread_spin_trylock(lock);
}

static void wait_spin(void *lock)
{
	real()->pthread_spin_lock(lock);
}

static void give_spin(void *lock)
{
	real()->pthread_spin_unlock(lock);
}

static struct simple_lock spin(pthread_spinlock_t *lock)
{
	return (struct simple_lock){ (void *)lock, try_spin, wait_spin, give_spin };
}

SOOTH_API int pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_lock(lock);
	struct simple_lock l = spin(lock);
	simple_lock_take(&l, RECORD_CALLER);
	return 0;
}

SOOTH_API int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_trylock(lock);
	struct simple_lock l = spin(lock);
	return simple_lock_try(&l, RECORD_CALLER);
}

SOOTH_API int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_unlock(lock);
	if (*lock == SPIN_FREE)
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, RECORD_CALLER, lock);
	struct simple_lock l = spin(lock);
	simple_lock_give(&l, RECORD_CALLER);
	return 0;
}

SOOTH_API int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	sched_before(EV_LOCK_INIT, lock, 0, RECORD_CALLER);
	int result = real()->pthread_spin_init(lock, shared);

	if (result == 0 && record_on())
		sync_object_record(EV_LOCK_INIT, RECORD_CALLER, lock, record_sequence(lock),
				   EVENT_LOCK_NORMAL);
	return result;
}

SOOTH_API int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	sched_before(EV_LOCK_DESTROY, lock, 0, RECORD_CALLER);
	if (record_on() && *lock != SPIN_FREE)
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, RECORD_CALLER, lock);
	int result = real()->pthread_spin_destroy(lock);

	if (result == 0 && record_on())
		sync_object_record(EV_LOCK_DESTROY, RECORD_CALLER, lock, record_sequence(lock), 0);
	return result;
}
