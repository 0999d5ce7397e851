/* Read-write locks: as mutexes (see mutex.c), with a side for readers. */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

#define READERS_SHIFT 3 /* of __readers, as glibc has it: below are flags */

struct side {
	enum event_kind request, acquire, fail;
};
static const struct side reader = { EV_READ_REQUEST, EV_READ_ACQUIRE, EV_READ_FAIL };
static const struct side writer = { EV_REQUEST, EV_ACQUIRE, EV_ACQUIRE_FAIL };

static _Atomic bool tried; /* somebody has called a try function: number releases by the stripe */

/* Records what a lock function has come to. */
static int locked(const struct side *side, pthread_rwlock_t *lock, uintptr_t pc, enum event_how how,
		  int result)
{
	if (result == 0)
		sync_object_record(side->acquire, pc, lock, record_sequence(lock), how);
	else if (result == ETIMEDOUT)
		sync_object_record(side->fail, pc, lock, record_sequence(lock), how);
	else if (result == EDEADLK)
		record_unmodelled(pc, "read-write lock locked again by its writer (EDEADLK)");
	return result;
}

/* Before waiting for a lock that was busy. The writer itself gets EDEADLK instead. */
static void request(const struct side *side, pthread_rwlock_t *lock, uintptr_t pc)
{
	if (lock->__data.__cur_writer != thread_tid())
		sync_object_record(side->request, pc, lock, record_sequence(lock), 0);
}

static int try_lock(const struct side *side, pthread_rwlock_t *lock, uintptr_t pc)
{
	uint64_t number = 0;

	if (!tried)
		tried = true;
	bool striped = record_stripe_lock(lock);
	int result = side == &reader ? real()->pthread_rwlock_tryrdlock(lock)
				     : real()->pthread_rwlock_trywrlock(lock);
	if (result == EBUSY)
		number = record_sequence(lock);
	if (striped)
		record_stripe_unlock(lock);
	if (result != EBUSY)
		return locked(side, lock, pc, EVENT_TRY, result);
	sync_object_record(side->fail, pc, lock, number, EVENT_TRY);
	return result;
}

/* In turn: as mutexes. Whoever has it for writing is told so by the library, and does not wait. */
static int lock_in_turn(const struct side *side, pthread_rwlock_t *lock, uintptr_t pc,
			enum event_how how, uint64_t until)
{
	struct sched_want want = sched_want(side->acquire, lock, pc);

	want.how = how;
	want.until = until;
	want.lock = EVENT_LOCK_RW;
	if (sched_take(&want) == SCHED_TIMED_OUT)
		return locked(side, lock, pc, how, ETIMEDOUT);
	if (how == EVENT_TRY)
		return try_lock(side, lock, pc);
	int result = side == &reader ? real()->pthread_rwlock_tryrdlock(lock)
				     : real()->pthread_rwlock_trywrlock(lock);
	if (result == EBUSY) {
		bool waits = lock->__data.__cur_writer != thread_tid();
		if (waits)
			sched_leave(want.site);
		result = side == &reader ? real()->pthread_rwlock_rdlock(lock)
					 : real()->pthread_rwlock_wrlock(lock);
		if (waits)
			sched_return();
	}
	return locked(side, lock, pc, how, result);
}

/* ---- readers ------------------------------------------------------------------------------ */

SOOTH_API int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_rdlock(lock);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&reader, lock, pc, EVENT_PLAIN, 0);
	int result = real()->pthread_rwlock_tryrdlock(lock);
	if (result == EBUSY) {
		request(&reader, lock, pc);
		result = real()->pthread_rwlock_rdlock(lock);
	}
	return locked(&reader, lock, pc, EVENT_PLAIN, result);
}

SOOTH_API int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_tryrdlock(lock);
	if (sched_on())
		return lock_in_turn(&reader, lock, RECORD_CALLER, EVENT_TRY, 0);
	return try_lock(&reader, lock, RECORD_CALLER);
}

SOOTH_API int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
					 const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_time_valid(until))
		return real()->pthread_rwlock_timedrdlock(lock, until);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&reader, lock, pc, EVENT_TIMED,
				    virtual_time_of(CLOCK_REALTIME, until));
	int result = real()->pthread_rwlock_tryrdlock(lock);
	if (result == EBUSY) {
		request(&reader, lock, pc);
		result = real()->pthread_rwlock_timedrdlock(lock, until);
	}
	return locked(&reader, lock, pc, EVENT_TIMED, result);
}

SOOTH_API int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
					 const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_clock_valid(clock) || !sync_object_time_valid(until))
		return real()->pthread_rwlock_clockrdlock(lock, clock, until);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&reader, lock, pc, EVENT_TIMED, virtual_time_of(clock, until));
	int result = real()->pthread_rwlock_tryrdlock(lock);
	if (result == EBUSY) {
		request(&reader, lock, pc);
		result = real()->pthread_rwlock_clockrdlock(lock, clock, until);
	}
	return locked(&reader, lock, pc, EVENT_TIMED, result);
}

/* ---- writers ------------------------------------------------------------------------------ */

SOOTH_API int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_wrlock(lock);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&writer, lock, pc, EVENT_PLAIN, 0);
	int result = real()->pthread_rwlock_trywrlock(lock);
	if (result == EBUSY) {
		request(&writer, lock, pc);
		result = real()->pthread_rwlock_wrlock(lock);
	}
	return locked(&writer, lock, pc, EVENT_PLAIN, result);
}

SOOTH_API int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_trywrlock(lock);
	if (sched_on())
		return lock_in_turn(&writer, lock, RECORD_CALLER, EVENT_TRY, 0);
	return try_lock(&writer, lock, RECORD_CALLER);
}

SOOTH_API int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
					 const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_time_valid(until))
		return real()->pthread_rwlock_timedwrlock(lock, until);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&writer, lock, pc, EVENT_TIMED,
				    virtual_time_of(CLOCK_REALTIME, until));
	int result = real()->pthread_rwlock_trywrlock(lock);
	if (result == EBUSY) {
		request(&writer, lock, pc);
		result = real()->pthread_rwlock_timedwrlock(lock, until);
	}
	return locked(&writer, lock, pc, EVENT_TIMED, result);
}

SOOTH_API int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
					 const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_clock_valid(clock) || !sync_object_time_valid(until))
		return real()->pthread_rwlock_clockwrlock(lock, clock, until);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on())
		return lock_in_turn(&writer, lock, pc, EVENT_TIMED, virtual_time_of(clock, until));
	int result = real()->pthread_rwlock_trywrlock(lock);
	if (result == EBUSY) {
		request(&writer, lock, pc);
		result = real()->pthread_rwlock_clockwrlock(lock, clock, until);
	}
	return locked(&writer, lock, pc, EVENT_TIMED, result);
}

/* ---- both --------------------------------------------------------------------------------- */

static bool has_readers(const pthread_rwlock_t *lock)
{
	return lock->__data.__readers >> READERS_SHIFT;
}

/* Which side is given up is decided as the library decides it: by who is the writer. */
SOOTH_API int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_unlock(lock);
	bool writing = lock->__data.__cur_writer == thread_tid();
	sched_before(writing ? EV_RELEASE : EV_READ_RELEASE, lock, 0, RECORD_CALLER);
	if (!writing && !has_readers(lock) && !thread_was_forked())
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, RECORD_CALLER, lock);
	bool striped = tried && record_stripe_lock(lock);
	sync_object_record(writing ? EV_RELEASE : EV_READ_RELEASE, RECORD_CALLER, lock,
			   record_sequence(lock), 0);
	int result = real()->pthread_rwlock_unlock(lock);
	if (striped)
		record_stripe_unlock(lock);
	return result;
}

SOOTH_API int pthread_rwlock_init(pthread_rwlock_t *restrict lock,
				  const pthread_rwlockattr_t *restrict attributes)
{
	sched_before(EV_LOCK_INIT, lock, 0, RECORD_CALLER);
	int result = real()->pthread_rwlock_init(lock, attributes);

	if (result == 0 && record_on())
		sync_object_record(EV_LOCK_INIT, RECORD_CALLER, lock, record_sequence(lock),
				   EVENT_LOCK_RW);
	return result;
}

/* The library lets it be destroyed whoever holds it. */
SOOTH_API int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	sched_before(EV_LOCK_DESTROY, lock, 0, RECORD_CALLER);
	if (record_on() && (lock->__data.__cur_writer || has_readers(lock)))
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, RECORD_CALLER, lock);
	int result = real()->pthread_rwlock_destroy(lock);

	if (result == 0 && record_on())
		sync_object_record(EV_LOCK_DESTROY, RECORD_CALLER, lock, record_sequence(lock), 0);
	return result;
}
