/* Spin locks. They are recorded as mutexes. */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/simple_lock.h"
#include "runtime/sched/sched.h"

#define SPIN_FREE 1 /* the value of a free lock in glibc on x86-64 */

SIMPLE_LOCK(spin, pthread_spin_trylock, pthread_spin_lock, pthread_spin_unlock)

SOOTH_API int pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_lock(lock);
	simple_lock_acquire(&spin, (void *)lock, RECORD_CALLER);
	return 0;
}

SOOTH_API int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_trylock(lock);
	return simple_lock_try(&spin, (void *)lock, RECORD_CALLER);
}

SOOTH_API int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (!record_on())
		return real()->pthread_spin_unlock(lock);
	if (*lock == SPIN_FREE)
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, RECORD_CALLER, lock);
	simple_lock_release(&spin, (void *)lock, RECORD_CALLER);
	return 0;
}

SYNC_OBJECT_LIFETIME(pthread_spin_init, (pthread_spinlock_t *, lock, int, shared), lock,
		     EV_LOCK_INIT, false, .m = EVENT_LOCK_NORMAL)
SYNC_OBJECT_LIFETIME(pthread_spin_destroy, (pthread_spinlock_t *, lock), lock, EV_LOCK_DESTROY,
		     record_on() && *lock != SPIN_FREE)
