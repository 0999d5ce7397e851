/*
 * Mutexes of all kinds.
 *
 * The number of an ACQUIRE is taken after the lock was got and that of a RELEASE before it is
 * given up, so the numbers of one mutex are in the order in which it changed hands, without any
 * lock of ours. Only a try that fails has nothing to hold: it is numbered under the stripe, and
 * so are all releases once a program has called a trylock. The number of a failed try may then
 * still be lower than that of the ACQUIRE it failed against, whose thread has the lock but not
 * yet a number: a failed try that seems to meet a free mutex belongs right behind its next
 * ACQUIRE (or, when the mutex was given up by a wait on a condition, right before that).
 */
#include "runtime/sync/mutex.h"

#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

/* Bits of __kind, as glibc has them: its low two are the type. */
#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32
#define KIND_SHARED 128	 /* with other processes, perhaps; every robust one has it */
#define KIND_ELISION 256 /* locked without being written to, perhaps */
#define KIND_BITS 0x3ff	 /* all there are */
#define KIND_DESTROYED (-1)
#define OWNER_BITS 0x3fffffff /* of __lock, in the kinds the kernel knows of */

static _Atomic bool tried; /* somebody has called a trylock */

static bool is_errorcheck(const pthread_mutex_t *mutex)
{
	return (mutex->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK;
}

enum event_lock mutex_type(const pthread_mutex_t *mutex)
{
	switch (mutex->__data.__kind & KIND_TYPE) {
	case PTHREAD_MUTEX_RECURSIVE: return EVENT_LOCK_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK: return EVENT_LOCK_ERRORCHECK;
	default: return EVENT_LOCK_NORMAL;
	}
}

uint8_t mutex_turn_lock(const pthread_mutex_t *mutex)
{
	bool is_robust = mutex->__data.__kind & KIND_ROBUST;

	return (uint8_t)mutex_type(mutex) | (is_robust ? SCHED_LOCK_ROBUST : 0);
}

int mutex_try_really(pthread_mutex_t *mutex)
{
	if (mutex->__data.__kind == KIND_DESTROYED || !(mutex->__data.__kind & KIND_ROBUST))
		return real()->pthread_mutex_trylock(mutex);
	int owner = mutex->__data.__lock & OWNER_BITS;
	return owner && owner != thread_tid() ? EBUSY : real()->pthread_mutex_lock(mutex);
}

bool mutex_refuses(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind;
	int type = kind & KIND_TYPE;
	bool in_kernel = kind & (KIND_ROBUST | KIND_INHERIT);

	if (!in_kernel && type != PTHREAD_MUTEX_ERRORCHECK && type != PTHREAD_MUTEX_RECURSIVE)
		return false;
	int tid = thread_tid();
	return mutex->__data.__owner != tid &&
	       !(in_kernel && (mutex->__data.__lock & OWNER_BITS) == tid);
}

/*
 * The library keeps the owner of every mutex, also where it does not ask. In the child of a fork that
 * may be the thread that forked, under its old number.
 */
bool mutex_is_anothers(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind;

	if (kind & (KIND_ROBUST | KIND_INHERIT | KIND_ELISION))
		return false;
	if (!mutex->__data.__lock)
		return true;
	return mutex->__data.__owner != thread_tid() && !thread_was_forked();
}

void mutex_blame(const pthread_mutex_t *mutex, uintptr_t pc, int error)
{
	int kind = mutex->__data.__kind;

	if (error == EINVAL && kind == KIND_DESTROYED)
		sync_object_misuse(EVENT_MISUSE_DESTROYED, pc, mutex);
	else if (error == EINVAL && (kind & ~KIND_BITS))
		sync_object_misuse(EVENT_MISUSE_NOT_INIT, pc, mutex);
}

/* Records what a lock function has come to. */
static int locked(pthread_mutex_t *mutex, uintptr_t pc, enum event_how how, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		sync_object_record(EV_ACQUIRE, pc, mutex, record_sequence(mutex), how);
	else if (result == ETIMEDOUT)
		sync_object_record(EV_ACQUIRE_FAIL, pc, mutex, record_sequence(mutex), how);
	else if (result == EDEADLK)
		record_unmodelled(pc, "mutex locked again by its owner (EDEADLK)");
	else if (result == EINVAL)
		mutex_blame(mutex, pc, result);
	return result;
}

/*
 * Tries without waiting. EBUSY: the caller has to wait, which is recorded unless the library will
 * say EDEADLK instead. A robust mutex is only looked at: when it cannot be recovered any more, a
 * try leaves it locked (glibc 2.36).
 */
static int try_first(pthread_mutex_t *mutex, uintptr_t pc)
{
	bool is_robust = mutex->__data.__kind & KIND_ROBUST;
	int result = is_robust ? EBUSY : real()->pthread_mutex_trylock(mutex);

	if (result != EBUSY || (is_robust && !(mutex->__data.__lock & OWNER_BITS)))
		return result;
	if (!is_errorcheck(mutex) || mutex_refuses(mutex))
		sync_object_record(EV_REQUEST, pc, mutex, record_sequence(mutex), 0);
	return result;
}

/* Somebody has it whom we do not see, and who lives in real time. */
static int lock_really(pthread_mutex_t *mutex, enum event_how how, uint64_t until)
{
	struct timespec end = virtual_time_real_end(until);

	if (how != EVENT_TIMED)
		return real()->pthread_mutex_lock(mutex);
	int result = real()->pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end);
	if (result == ETIMEDOUT)
		virtual_time_advance_to(until);
	return result;
}

/*
 * In turn: when the scheduler lets us go on the mutex is free, and the real function does not wait.
 * If it is not free after all (code we do not see has it) we wait for it outside.
 */
static int lock_in_turn(pthread_mutex_t *mutex, uintptr_t pc, enum event_how how, uint64_t until)
{
	struct sched_want want = sched_want(EV_ACQUIRE, mutex, pc);

	want.how = how;
	want.until = until;
	want.lock = mutex_turn_lock(mutex);
	if (sched_take(&want) == SCHED_TIMED_OUT)
		return locked(mutex, pc, how, ETIMEDOUT);
	int result = mutex_try_really(mutex);
	if (result == EBUSY) {
		bool waits = (mutex->__data.__kind != KIND_DESTROYED &&
			      mutex->__data.__kind & KIND_SHARED) ||
			     (!(mutex->__data.__kind & KIND_ROBUST) && mutex_refuses(mutex));
		if (waits)
			sched_leave(want.site);
		result = lock_really(mutex, how, until);
		if (waits)
			sched_return();
	}
	return locked(mutex, pc, how, result);
}

int mutex_lock(pthread_mutex_t *mutex, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_mutex_lock(mutex);
	if (sched_on())
		return lock_in_turn(mutex, pc, EVENT_PLAIN, 0);
	int result = try_first(mutex, pc);
	if (result == EBUSY)
		result = real()->pthread_mutex_lock(mutex);
	return locked(mutex, pc, EVENT_PLAIN, result);
}

SOOTH_API int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return mutex_lock(mutex, RECORD_CALLER);
}

/* Who gets the mutex at once need not have one. */
static bool is_time(const struct timespec *until)
{
	return safe_read_can_read(until, sizeof(*until)) && sync_object_time_valid(until);
}

int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *until, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_mutex_timedlock(mutex, until);
	if (sched_on() && is_time(until))
		return lock_in_turn(mutex, pc, EVENT_TIMED, virtual_time_of(CLOCK_REALTIME, until));
	int result = try_first(mutex, pc);
	if (result == EBUSY)
		result = real()->pthread_mutex_timedlock(mutex, until);
	return locked(mutex, pc, EVENT_TIMED, result);
}

SOOTH_API int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
				      const struct timespec *restrict until)
{
	return mutex_lock_until(mutex, until, RECORD_CALLER);
}

SOOTH_API int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
				      const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_clock_valid(clock))
		return real()->pthread_mutex_clocklock(mutex, clock, until);
	uintptr_t pc = RECORD_CALLER;
	if (sched_on() && is_time(until))
		return lock_in_turn(mutex, pc, EVENT_TIMED, virtual_time_of(clock, until));
	int result = try_first(mutex, pc);
	if (result == EBUSY)
		result = real()->pthread_mutex_clocklock(mutex, clock, until);
	return locked(mutex, pc, EVENT_TIMED, result);
}

int mutex_try(pthread_mutex_t *mutex, uintptr_t pc)
{
	uint64_t number = 0;

	if (!record_on())
		return real()->pthread_mutex_trylock(mutex);
	if (!tried)
		tried = true;
	if (sched_on()) {
		struct sched_want want = sched_want(EV_ACQUIRE, mutex, pc);
		want.how = EVENT_TRY;
		sched_take(&want);
	}
	bool striped = record_stripe_lock(mutex);
	int result = real()->pthread_mutex_trylock(mutex);
	if (result == EBUSY)
		number = record_sequence(mutex);
	if (striped)
		record_stripe_unlock(mutex);
	if (result != EBUSY)
		return locked(mutex, pc, EVENT_TRY, result);
	sync_object_record(EV_ACQUIRE_FAIL, pc, mutex, number, EVENT_TRY);
	return result;
}

SOOTH_API int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return mutex_try(mutex, RECORD_CALLER);
}

/*
 * The record comes before the unlock, so that its time is not later than that of the next ACQUIRE.
 * Writing it under the stripe may make others spin while a full buffer is written to the file:
 * only in programs that use trylock, once in some thousand times.
 */
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_mutex_unlock(mutex);
	sched_before(EV_RELEASE, mutex, 0, pc);
	if (mutex_refuses(mutex)) {
		int result = real()->pthread_mutex_unlock(mutex);
		if (result == 0)
			sync_object_record(EV_RELEASE, pc, mutex, record_sequence(mutex), 0);
		else
			mutex_blame(mutex, pc, result);
		return result;
	}
	if (mutex_is_anothers(mutex))
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, pc, mutex);
	bool striped = tried && record_stripe_lock(mutex);
	sync_object_record(EV_RELEASE, pc, mutex, record_sequence(mutex), 0);
	int result = real()->pthread_mutex_unlock(mutex);
	if (striped)
		record_stripe_unlock(mutex);
	if (result != 0)
		record_unmodelled(pc, "pthread_mutex_unlock failed after its release was recorded");
	return result;
}

SOOTH_API int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return mutex_unlock(mutex, RECORD_CALLER);
}

/* ---- making and unmaking ------------------------------------------------------------------ */

void mutex_made(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if (record_on())
		sync_object_record(EV_LOCK_INIT, pc, mutex, record_sequence(mutex),
				   mutex->__data.__kind & KIND_ROBUST ? EVENT_LOCK_ROBUST
								      : mutex_type(mutex));
}

SOOTH_API int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	sched_before(EV_LOCK_INIT, mutex, 0, RECORD_CALLER);
	int result = real()->pthread_mutex_init(mutex, attributes);

	if (result == 0)
		mutex_made(mutex, RECORD_CALLER);
	return result;
}

int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc)
{
	sched_before(EV_LOCK_DESTROY, mutex, 0, pc);
	int result = real()->pthread_mutex_destroy(mutex);

	if (result == 0 && record_on())
		sync_object_record(EV_LOCK_DESTROY, pc, mutex, record_sequence(mutex), 0);
	else if (result == EBUSY && record_on())
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, pc, mutex);
	return result;
}

SOOTH_API int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return mutex_destroy(mutex, RECORD_CALLER);
}
