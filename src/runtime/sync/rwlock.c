/*
 * Read-write locks. They are recorded in the same way as mutexes (mutex.c), but acquisitions and
 * releases for reading have separate event kinds.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

#define READERS_SHIFT 3 /* in glibc's __readers; the lower bits are flags */

/* The event kinds for readers and for writers. */
struct rwlock_side {
	enum event_kind request, acquire, fail;
};
static const struct rwlock_side reader = { EV_READ_REQUEST, EV_READ_ACQUIRE, EV_READ_FAIL };
static const struct rwlock_side writer = { EV_REQUEST, EV_ACQUIRE, EV_ACQUIRE_FAIL };

static _Atomic bool tried; /* a try function was called: releases are numbered under the stripe */

static int try_really(const struct rwlock_side *side, pthread_rwlock_t *lock)
{
	return side == &reader ? real()->pthread_rwlock_tryrdlock(lock)
			       : real()->pthread_rwlock_trywrlock(lock);
}

/* Records the end of a call that locks. Returns `result`. */
static int record_result(const struct rwlock_side *side, pthread_rwlock_t *lock, uintptr_t pc,
			 enum event_how how, int result)
{
	if (result == 0)
		sync_object_record_next(side->acquire, pc, lock, how);
	else if (result == ETIMEDOUT)
		sync_object_record_next(side->fail, pc, lock, how);
	else if (result == EDEADLK)
		record_unmodelled(pc, "read-write lock locked again by its writer (EDEADLK)");
	return result;
}

/*
 * Tries to lock without waiting. If the lock is busy, records a request, unless the thread itself
 * holds the lock for writing: then the library will return EDEADLK.
 */
static int try_or_request(const struct rwlock_side *side, pthread_rwlock_t *lock, uintptr_t pc)
{
	int result = try_really(side, lock);

	if (result == EBUSY && lock->__data.__cur_writer != thread_tid())
		sync_object_record_next(side->request, pc, lock, 0);
	return result;
}

/*
 * Calls a try function and records the result. A failed try gets its sequence number while the
 * stripe is locked (see record_stripe_lock()).
 */
static int try_lock(const struct rwlock_side *side, pthread_rwlock_t *lock, uintptr_t pc)
{
	uint64_t number = 0;

	if (!tried)
		tried = true;
	bool striped = record_stripe_lock(lock);
	int result = try_really(side, lock);
	if (result == EBUSY)
		number = record_sequence(lock);
	if (striped)
		record_stripe_unlock(lock);
	if (result != EBUSY)
		return record_result(side, lock, pc, EVENT_TRY, result);
	sync_object_record(side->fail, pc, lock, number, EVENT_TRY);
	return result;
}

/*
 * Locks in a controlled run, as mutex.c does for mutexes. A thread that holds the lock for writing
 * does not wait, because the library returns EDEADLK.
 */
static int lock_controlled(const struct rwlock_side *side, pthread_rwlock_t *lock, uintptr_t pc,
			   enum event_how how, uint64_t until)
{
	struct sched_op want = sched_op(side->acquire, lock, pc);

	want.how = how;
	want.until = until;
	want.lock = EVENT_LOCK_RW;
	if (sched_wait_until_enabled(&want) == SCHED_TIMED_OUT)
		return record_result(side, lock, pc, how, ETIMEDOUT);
	if (how == EVENT_TRY)
		return try_lock(side, lock, pc);
	int result = try_really(side, lock);
	if (result == EBUSY) {
		bool waits = lock->__data.__cur_writer != thread_tid();
		if (waits)
			sched_leave(want.site);
		result = side == &reader ? real()->pthread_rwlock_rdlock(lock)
					 : real()->pthread_rwlock_wrlock(lock);
		if (waits)
			sched_return();
	}
	return record_result(side, lock, pc, how, result);
}

/*
 * An interposer that waits for `lock` as a reader or a writer. `valid` is true if the real function
 * accepts the arguments. `how` and `until` describe the wait.
 */
#define LOCK(side, lock, name, parameters, valid, how, until)                                      \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		if (!record_on() || !(valid))                                                      \
			return real()->name(ARGUMENTS parameters);                                 \
		uintptr_t pc = RECORD_CALLER;                                                      \
		if (sched_on())                                                                    \
			return lock_controlled(side, lock, pc, how, until);                        \
		int result = try_or_request(side, lock, pc);                                       \
		if (result == EBUSY)                                                               \
			result = real()->name(ARGUMENTS parameters);                               \
		return record_result(side, lock, pc, how, result);                                 \
	}

#define LOCK_UNTIL(side, name)                                                                     \
	LOCK(side, lock, name, (pthread_rwlock_t *, lock, const struct timespec *, until),         \
	     sync_object_time_valid(until), EVENT_TIMED, virtual_time_of(CLOCK_REALTIME, until))

#define LOCK_CLOCK(side, name)                                                                     \
	LOCK(side, lock, name,                                                                     \
	     (pthread_rwlock_t *, lock, clockid_t, clock, const struct timespec *, until),         \
	     sync_object_clock_valid(clock) && sync_object_time_valid(until), EVENT_TIMED,         \
	     virtual_time_of(clock, until))

#define TRY(side, name)                                                                            \
	SOOTH_API int name(pthread_rwlock_t *lock)                                                 \
	{                                                                                          \
		if (!record_on())                                                                  \
			return real()->name(lock);                                                 \
		return sched_on() ? lock_controlled(side, lock, RECORD_CALLER, EVENT_TRY, 0)       \
				  : try_lock(side, lock, RECORD_CALLER);                           \
	}

LOCK(&reader, lock, pthread_rwlock_rdlock, (pthread_rwlock_t *, lock), true, EVENT_PLAIN, 0)
LOCK(&writer, lock, pthread_rwlock_wrlock, (pthread_rwlock_t *, lock), true, EVENT_PLAIN, 0)
LOCK_UNTIL(&reader, pthread_rwlock_timedrdlock)
LOCK_UNTIL(&writer, pthread_rwlock_timedwrlock)
LOCK_CLOCK(&reader, pthread_rwlock_clockrdlock)
LOCK_CLOCK(&writer, pthread_rwlock_clockwrlock)
TRY(&reader, pthread_rwlock_tryrdlock)
TRY(&writer, pthread_rwlock_trywrlock)

static bool has_readers(const pthread_rwlock_t *lock)
{
	return lock->__data.__readers >> READERS_SHIFT;
}

/* Like the library, treats the caller as a reader unless the lock says that it is the writer. */
SOOTH_API int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (!record_on())
		return real()->pthread_rwlock_unlock(lock);
	bool writing = lock->__data.__cur_writer == thread_tid();
	enum event_kind kind = writing ? EV_RELEASE : EV_READ_RELEASE;
	sched_before(kind, lock, 0, RECORD_CALLER);
	if (!writing && !has_readers(lock) && !thread_was_forked())
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, RECORD_CALLER, lock);
	bool striped = tried && record_stripe_lock(lock);
	sync_object_record_next(kind, RECORD_CALLER, lock, 0);
	int result = real()->pthread_rwlock_unlock(lock);
	if (striped)
		record_stripe_unlock(lock);
	return result;
}

/* The library destroys a lock even if a thread holds it. */
SYNC_OBJECT_LIFETIME(pthread_rwlock_init,
		     (pthread_rwlock_t *, lock, const pthread_rwlockattr_t *, attributes), lock,
		     EV_LOCK_INIT, false, .m = EVENT_LOCK_RW)
SYNC_OBJECT_LIFETIME(pthread_rwlock_destroy, (pthread_rwlock_t *, lock), lock, EV_LOCK_DESTROY,
		     record_on() && (lock->__data.__cur_writer || has_readers(lock)))
