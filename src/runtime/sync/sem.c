/*
 * Semaphores. Posts and tries are made, and get their sequence numbers, while the stripe is held. A
 * wait that blocks gets its number after it has returned, so a failed try may have a lower number
 * than the DOWN that took the last unit before it.
 */
#include "runtime/io/channel.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>

/* ---- waiting --------------------------------------------------------------------------------- */

/*
 * Tries once to take a unit. Stores the sequence number of the try in `*number`. Returns 0, or -1
 * with the library's errno.
 */
static int try_down(sem_t *sem, uint64_t *number)
{
	bool striped = record_stripe_lock(sem);
	int result = real()->sem_trywait(sem);

	*number = record_sequence(sem);
	if (striped)
		record_stripe_unlock(sem);
	return result;
}

/*
 * May another process post the semaphore? That is possible for a named semaphore, or one in shared
 * memory, while there are other processes. The recorded posts then do not account for all units,
 * and a thread that took a unit may have waited for anything.
 */
static _Atomic bool any_named;

static bool is_posted_elsewhere(const sem_t *sem)
{
	return ((const unsigned *)(const void *)sem)[2] &&
	       (any_named || channel_has_other_process());
}

static void record_down(sem_t *sem, uintptr_t pc, uint64_t number, enum event_how how)
{
	sync_object_record(EV_DOWN, pc, sem, number, how);
	if (is_posted_elsewhere(sem))
		unknown_wait_end(&(struct unknown_wait_call){ pc, UNKNOWN_WAIT_WAITED });
}

/*
 * Takes a unit if there is one. Otherwise records that the caller is about to wait for one, and
 * returns false.
 */
static bool down_or_request(sem_t *sem, uintptr_t pc, enum event_how how)
{
	int error = errno;
	uint64_t number;

	if (try_down(sem, &number) == 0) {
		record_down(sem, pc, number, how);
		return true;
	}
	errno = error;
	sync_object_record_next(EV_DOWN_REQUEST, pc, sem, 0);
	sched_leave(
		pc); /* a handler has the turn of its thread; without this, no thread could post */
	return false;
}

/* Waits are cancellation points even if they do not block. Tries are not. */
static void test_cancelled(uintptr_t pc)
{
	UNKNOWN_WAIT_BEGIN(call, pc);

	real()->pthread_testcancel();
	call.how = UNKNOWN_WAIT_NOTHING;
}

/* Records the end of a wait. An interrupted wait records nothing after its request. */
static int record_result(sem_t *sem, uintptr_t pc, enum event_how how, int result)
{
	if (result == 0)
		record_down(sem, pc, record_sequence(sem), how);
	else if (errno == ETIMEDOUT)
		sync_object_record_next(EV_DOWN_FAIL, pc, sem, how);
	return result;
}

/*
 * In a controlled run, sched_wait_until_enabled() returns when the count is not 0, or at once for a
 * try.
 */
static int down_controlled(sem_t *sem, uintptr_t pc, enum event_how how, uint64_t until)
{
	struct sched_op want = sched_op(EV_DOWN, sem, pc);
	uint64_t number;

	want.other = (uintptr_t)sem;
	want.how = how;
	want.until = until;
	for (;;) {
		enum sched_outcome answer = sched_wait_until_enabled(&want);
		if (sched_cancelled())
			test_cancelled(pc);
		if (answer == SCHED_TIMED_OUT || answer == SCHED_INTERRUPTED) {
			errno = answer == SCHED_INTERRUPTED ? EINTR : ETIMEDOUT;
			return record_result(sem, pc, how, -1);
		}
		if (try_down(sem, &number) == 0)
			break;
		if (errno != EAGAIN || how == EVENT_TRY) {
			sync_object_record(EV_DOWN_FAIL, pc, sem, number, how);
			return -1;
		}
	}
	record_down(sem, pc, number, how);
	return 0;
}

/*
 * An interposer that waits for `sem`. `valid` is true if the real function accepts the arguments.
 * `kind` and `until` describe the wait.
 */
#define WAIT(name, sem, parameters, valid, kind, until)                                            \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		if (!record_on() || !(valid))                                                      \
			return real()->name(ARGUMENTS parameters);                                 \
		uintptr_t pc = RECORD_CALLER;                                                      \
		test_cancelled(pc);                                                                \
		if (sched_on())                                                                    \
			return down_controlled(sem, pc, kind, until);                              \
		if (down_or_request(sem, pc, kind))                                                \
			return 0;                                                                  \
		UNKNOWN_WAIT_BEGIN(call, pc);                                                      \
		int result = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		return record_result(sem, pc, kind, result);                                       \
	}

WAIT(sem_wait, sem, (sem_t *, sem), true, EVENT_PLAIN, 0)
WAIT(sem_timedwait, sem, (sem_t *, sem, const struct timespec *, until),
     sync_object_time_valid(until), EVENT_TIMED, virtual_time_of(CLOCK_REALTIME, until))
WAIT(sem_clockwait, sem, (sem_t *, sem, clockid_t, clock, const struct timespec *, until),
     sync_object_clock_valid(clock) && sync_object_time_valid(until), EVENT_TIMED,
     virtual_time_of(clock, until))

SOOTH_API int sem_trywait(sem_t *sem)
{
	uint64_t number;

	if (!record_on())
		return real()->sem_trywait(sem);
	if (sched_on())
		return down_controlled(sem, RECORD_CALLER, EVENT_TRY, 0);
	int result = try_down(sem, &number);
	if (result == 0)
		record_down(sem, RECORD_CALLER, number, EVENT_TRY);
	else if (errno == EAGAIN)
		sync_object_record(EV_DOWN_FAIL, RECORD_CALLER, sem, number, EVENT_TRY);
	return result;
}

/* ---- posting --------------------------------------------------------------------------------- */

static bool is_full(sem_t *sem)
{
	int value;

	return real()->sem_getvalue(sem, &value) == 0 && value == SEM_VALUE_MAX;
}

/*
 * The POST is recorded before the real call: a waiting thread takes its sequence number as soon as
 * it gets the unit, without the stripe, and may end the process before this call returns. A post
 * that will fail, because the count is at its maximum, is not recorded.
 */
SOOTH_API int sem_post(sem_t *sem)
{
	if (!record_on() || is_full(sem))
		return real()->sem_post(sem);
	sched_before(EV_POST, sem, 0, RECORD_CALLER);
	bool striped = record_stripe_lock(sem);
	sync_object_record_next(EV_POST, RECORD_CALLER, sem, 0);
	int result = real()->sem_post(sem);
	if (striped)
		record_stripe_unlock(sem);
	if (sched_active && !sched_on())
		sched_notify_change();
	return result;
}

/* ---- initialising, destroying, opening ------------------------------------------------------- */

SYNC_OBJECT_LIFETIME(sem_init, (sem_t *, sem, int, shared, unsigned, value), sem, EV_SEM_INIT,
		     false, .n = value)
SYNC_OBJECT_LIFETIME(sem_destroy, (sem_t *, sem), sem, EV_SEM_DESTROY, false)

/* Other processes may change a named semaphore, so its initial value is not known. */
SOOTH_API sem_t *sem_open(const char *name, int flags, ...)
{
	mode_t mode = 0;
	unsigned value = 0;

	if (flags & O_CREAT) {
		va_list more;
		va_start(more, flags);
		mode = va_arg(more, mode_t);
		value = va_arg(more, unsigned);
		va_end(more);
	}
	if (record_on())
		record_unmodelled(RECORD_CALLER, "sem_open");
	any_named = true;
	return real()->sem_open(name, flags, mode, value);
}

SOOTH_API int sem_close(sem_t *sem)
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "sem_close");
	return real()->sem_close(sem);
}
