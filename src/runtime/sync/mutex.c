/*
 * Mutexes of all types.
 *
 * The sequence number of an ACQUIRE is taken after the thread got the lock, and that of a RELEASE
 * before the thread unlocks. So the numbers of one mutex are in the order in which threads held it,
 * and the runtime needs no lock for that. Only a failed try is different, because its thread holds
 * nothing: its number is taken while the stripe is held, and so are the numbers of all releases
 * once the program has called a trylock.
 *
 * The number of a failed try may still be lower than that of the ACQUIRE that made it fail: the
 * other thread may have the lock but not yet a number. So if the mutex appears to be free at a
 * failed try, the try belongs right after the next ACQUIRE (or right before that, if a wait on a
 * condition released the mutex).
 */
#include "runtime/sync/mutex.h"

#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/thread.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

/* Bits of __kind in glibc. The lowest two are the mutex type. */
#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32
#define KIND_SHARED 128	 /* may be shared with other processes; set in every robust mutex */
#define KIND_ELISION 256 /* hardware lock elision: may be locked without a write to it */
#define KIND_BITS 0x3ff	 /* all bits of a valid __kind */
#define KIND_DESTROYED (-1)
#define OWNER_BITS 0x3fffffff /* thread id in __lock, if robust or priority-inheriting */

static _Atomic bool tried; /* the program has called a trylock */

static enum event_lock lock_type(const pthread_mutex_t *mutex)
{
	switch (mutex->__data.__kind & KIND_TYPE) {
	case PTHREAD_MUTEX_RECURSIVE: return EVENT_LOCK_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK: return EVENT_LOCK_ERRORCHECK;
	default: return EVENT_LOCK_NORMAL;
	}
}

uint8_t mutex_sched_lock(const pthread_mutex_t *mutex)
{
	bool is_robust = mutex->__data.__kind & KIND_ROBUST;

	return (uint8_t)lock_type(mutex) | (is_robust ? SCHED_LOCK_ROBUST : 0);
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
 * The library stores the owner of every mutex, even for types whose owner it does not check. In the
 * child of a fork, the stored owner may be the thread that forked, under its thread id in the
 * parent.
 */
bool mutex_is_not_held(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind;

	if (kind & (KIND_ROBUST | KIND_INHERIT | KIND_ELISION))
		return false;
	if (!mutex->__data.__lock)
		return true;
	return mutex->__data.__owner != thread_tid() && !thread_was_forked();
}

void mutex_record_misuse(const pthread_mutex_t *mutex, uintptr_t pc, int error)
{
	int kind = mutex->__data.__kind;

	if (error == EINVAL && kind == KIND_DESTROYED)
		sync_object_misuse(EVENT_MISUSE_DESTROYED, pc, mutex);
	else if (error == EINVAL && (kind & ~KIND_BITS))
		sync_object_misuse(EVENT_MISUSE_NOT_INIT, pc, mutex);
}

/* ---- locking --------------------------------------------------------------------------------- */

/* Records the end of a call that locks. Returns `result`. */
static int record_result(pthread_mutex_t *mutex, uintptr_t pc, enum event_how how, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		sync_object_record_next(EV_ACQUIRE, pc, mutex, how);
	else if (result == ETIMEDOUT)
		sync_object_record_next(EV_ACQUIRE_FAIL, pc, mutex, how);
	else if (result == EDEADLK)
		record_unmodelled(pc, "mutex locked again by its owner (EDEADLK)");
	else if (result == EINVAL)
		mutex_record_misuse(mutex, pc, result);
	return result;
}

/*
 * Tries to lock without waiting. Returns EBUSY if the caller has to wait; in that case records a
 * REQUEST, unless the library will return EDEADLK instead. A robust mutex is not tried, only
 * examined, for the reason given at mutex_try_really().
 */
static int try_or_request(pthread_mutex_t *mutex, uintptr_t pc)
{
	bool is_robust = mutex->__data.__kind & KIND_ROBUST;
	int result = is_robust ? EBUSY : real()->pthread_mutex_trylock(mutex);

	if (result != EBUSY || (is_robust && !(mutex->__data.__lock & OWNER_BITS)))
		return result;
	if (lock_type(mutex) != EVENT_LOCK_ERRORCHECK || mutex_refuses(mutex))
		sync_object_record_next(EV_REQUEST, pc, mutex, 0);
	return result;
}

/* Waits for a mutex that is held by unrecorded code, which runs in real time. */
static int wait_in_real_time(pthread_mutex_t *mutex, enum event_how how, uint64_t until)
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
 * In a controlled run the mutex is free when sched_wait_until_enabled() returns, so the real
 * function does not wait. If the mutex is not free, unrecorded code holds it, and the thread waits
 * outside the schedule.
 */
static int lock_controlled(pthread_mutex_t *mutex, uintptr_t pc, enum event_how how, uint64_t until)
{
	struct sched_op want = sched_op(EV_ACQUIRE, mutex, pc);

	want.how = how;
	want.until = until;
	want.lock = mutex_sched_lock(mutex);
	if (sched_wait_until_enabled(&want) == SCHED_TIMED_OUT)
		return record_result(mutex, pc, how, ETIMEDOUT);
	int result = mutex_try_really(mutex);
	if (result == EBUSY) {
		bool waits = (mutex->__data.__kind != KIND_DESTROYED &&
			      mutex->__data.__kind & KIND_SHARED) ||
			     (!(mutex->__data.__kind & KIND_ROBUST) && mutex_refuses(mutex));
		if (waits)
			sched_leave(want.site);
		result = wait_in_real_time(mutex, how, until);
		if (waits)
			sched_return();
	}
	return record_result(mutex, pc, how, result);
}

/*
 * Is the time valid? If not, the real function must get it: it ignores the time if the mutex is
 * free.
 */
static bool is_time(const struct timespec *until)
{
	return safe_read_can_read(until, sizeof(*until)) && sync_object_time_valid(until);
}

/*
 * Defines `function`, which locks `mutex`, and the interposer `name`, which calls `function`.
 * `valid` is true if the real function can accept the arguments, `can_control` if the scheduler can
 * perform the wait.
 */
#define LOCK(function, mutex, name, parameters, valid, can_control, how, until)                    \
	int function(PARAMETERS parameters, uintptr_t pc)                                          \
	{                                                                                          \
		if (!record_on() || !(valid))                                                      \
			return real()->name(ARGUMENTS parameters);                                 \
		if (sched_on() && (can_control))                                                   \
			return lock_controlled(mutex, pc, how, until);                             \
		int result = try_or_request(mutex, pc);                                            \
		if (result == EBUSY)                                                               \
			result = real()->name(ARGUMENTS parameters);                               \
		return record_result(mutex, pc, how, result);                                      \
	}                                                                                          \
	INTERPOSER(int, name, parameters, function)

static int mutex_lock_clock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
			    uintptr_t pc);

LOCK(mutex_lock, mutex, pthread_mutex_lock, (pthread_mutex_t *, mutex), true, true, EVENT_PLAIN, 0)
LOCK(mutex_lock_until, mutex, pthread_mutex_timedlock,
     (pthread_mutex_t *, mutex, const struct timespec *, until), true, is_time(until), EVENT_TIMED,
     virtual_time_of(CLOCK_REALTIME, until))
LOCK(mutex_lock_clock, mutex, pthread_mutex_clocklock,
     (pthread_mutex_t *, mutex, clockid_t, clock, const struct timespec *, until),
     sync_object_clock_valid(clock), is_time(until), EVENT_TIMED, virtual_time_of(clock, until))

int mutex_try(pthread_mutex_t *mutex, uintptr_t pc)
{
	uint64_t number = 0;

	if (!record_on())
		return real()->pthread_mutex_trylock(mutex);
	if (!tried)
		tried = true;
	if (sched_on()) {
		struct sched_op want = sched_op(EV_ACQUIRE, mutex, pc);
		want.how = EVENT_TRY;
		sched_wait_until_enabled(&want);
	}
	bool striped = record_stripe_lock(mutex);
	int result = real()->pthread_mutex_trylock(mutex);
	if (result == EBUSY)
		number = record_sequence(mutex);
	if (striped)
		record_stripe_unlock(mutex);
	if (result != EBUSY)
		return record_result(mutex, pc, EVENT_TRY, result);
	sync_object_record(EV_ACQUIRE_FAIL, pc, mutex, number, EVENT_TRY);
	return result;
}

/*
 * The RELEASE is recorded before the real unlock, so that its time is not later than that of the
 * next ACQUIRE. If a full buffer has to be written to the file while the stripe is held, other
 * threads may spin. That happens only in programs that use trylock, once in some thousand calls.
 */
int mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_mutex_unlock(mutex);
	sched_before(EV_RELEASE, mutex, 0, pc);
	if (mutex_refuses(mutex)) {
		int result = real()->pthread_mutex_unlock(mutex);
		if (result == 0)
			sync_object_record_next(EV_RELEASE, pc, mutex, 0);
		else
			mutex_record_misuse(mutex, pc, result);
		return result;
	}
	if (mutex_is_not_held(mutex))
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, pc, mutex);
	bool striped = tried && record_stripe_lock(mutex);
	sync_object_record_next(EV_RELEASE, pc, mutex, 0);
	int result = real()->pthread_mutex_unlock(mutex);
	if (striped)
		record_stripe_unlock(mutex);
	if (result != 0)
		record_unmodelled(pc, "pthread_mutex_unlock failed after its release was recorded");
	return result;
}

/* ---- initialising and destroying ------------------------------------------------------------- */

void mutex_record_init(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if (record_on())
		sync_object_record_next(EV_LOCK_INIT, pc, mutex,
					mutex->__data.__kind & KIND_ROBUST ? EVENT_LOCK_ROBUST
									   : lock_type(mutex));
}

SOOTH_API int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	sched_before(EV_LOCK_INIT, mutex, 0, RECORD_CALLER);
	int result = real()->pthread_mutex_init(mutex, attributes);

	if (result == 0)
		mutex_record_init(mutex, RECORD_CALLER);
	return result;
}

int mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc)
{
	sched_before(EV_LOCK_DESTROY, mutex, 0, pc);
	int result = real()->pthread_mutex_destroy(mutex);

	if (result == 0 && record_on())
		sync_object_record_next(EV_LOCK_DESTROY, pc, mutex, 0);
	else if (result == EBUSY && record_on())
		sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, pc, mutex);
	return result;
}

INTERPOSER(int, pthread_mutex_trylock, (pthread_mutex_t *, mutex), mutex_try)
INTERPOSER(int, pthread_mutex_unlock, (pthread_mutex_t *, mutex), mutex_unlock)
INTERPOSER(int, pthread_mutex_destroy, (pthread_mutex_t *, mutex), mutex_destroy)
