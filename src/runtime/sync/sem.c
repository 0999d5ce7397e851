/*
 * Semaphores. Posts and tries are done and numbered under the stripe; a wait that had to block is
 * numbered after it came through, so a failed try may have a lower number than the DOWN that took
 * the last unit from it.
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

/* One try; its number, taken with it. Zero, or -1 and errno as the library leaves them. */
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
 * Other processes may have posted it: a named one, or one in memory that is shared, while there are any. Then its
 * count does not add up, and who got through has waited for anybody.
 */
static _Atomic bool any_named;

static bool has_company(const sem_t *sem)
{
	return ((const unsigned *)(const void *)sem)[2] && (any_named || channel_has_company());
}

static void record_down(sem_t *sem, uintptr_t pc, uint64_t number, enum event_how how)
{
	sync_object_record(EV_DOWN, pc, sem, number, how);
	if (has_company(sem))
		unknown_wait_end(&(struct unknown_wait_call){ pc, UNKNOWN_WAIT_WAITED });
}

/* Takes the semaphore if it can be had at once. Otherwise the caller has to wait for it. */
static bool down_at_once(sem_t *sem, uintptr_t pc, enum event_how how)
{
	int error = errno;
	uint64_t number;

	if (try_down(sem, &number) == 0) {
		record_down(sem, pc, number, how);
		return true;
	}
	errno = error;
	sync_object_record(EV_DOWN_REQUEST, pc, sem, record_sequence(sem), 0);
	sched_leave(pc); /* in a handler: in its thread's turn nobody would post */
	return false;
}

/* Waits are cancellation points even when they need not block; tries are not. */
static void test_cancelled(uintptr_t pc)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };

	real()->pthread_testcancel();
	call.how = UNKNOWN_WAIT_NOTHING;
}

/* Records what a wait has come to. An interrupted one has only asked. */
static int waited(sem_t *sem, uintptr_t pc, enum event_how how, int result)
{
	if (result == 0)
		record_down(sem, pc, record_sequence(sem), how);
	else if (errno == ETIMEDOUT)
		sync_object_record(EV_DOWN_FAIL, pc, sem, record_sequence(sem), how);
	return result;
}

/* In turn: it is let through when the count is not 0, and then a try does it. */
static int down_in_turn(sem_t *sem, uintptr_t pc, enum event_how how, uint64_t until)
{
	struct sched_want want = sched_want(EV_DOWN, sem, pc);
	uint64_t number;

	want.how = how;
	want.until = until;
	for (;;) {
		enum sched_answer answer = sched_take(&want);
		if (sched_cancelled())
			test_cancelled(pc);
		if (answer == SCHED_TIMED_OUT || answer == SCHED_INTERRUPTED) {
			errno = answer == SCHED_INTERRUPTED ? EINTR : ETIMEDOUT;
			return waited(sem, pc, how, -1);
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

SOOTH_API int sem_wait(sem_t *sem)
{
	if (!record_on())
		return real()->sem_wait(sem);
	uintptr_t pc = RECORD_CALLER;
	test_cancelled(pc);
	if (sched_on())
		return down_in_turn(sem, pc, EVENT_PLAIN, 0);
	if (down_at_once(sem, pc, EVENT_PLAIN))
		return 0;
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	int result = real()->sem_wait(sem);
	call.how = UNKNOWN_WAIT_NOTHING;
	return waited(sem, pc, EVENT_PLAIN, result);
}

SOOTH_API int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_time_valid(until))
		return real()->sem_timedwait(sem, until);
	uintptr_t pc = RECORD_CALLER;
	test_cancelled(pc);
	if (sched_on())
		return down_in_turn(sem, pc, EVENT_TIMED, virtual_time_of(CLOCK_REALTIME, until));
	if (down_at_once(sem, pc, EVENT_TIMED))
		return 0;
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	int result = real()->sem_timedwait(sem, until);
	call.how = UNKNOWN_WAIT_NOTHING;
	return waited(sem, pc, EVENT_TIMED, result);
}

SOOTH_API int sem_clockwait(sem_t *restrict sem, clockid_t clock,
			    const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_clock_valid(clock) || !sync_object_time_valid(until))
		return real()->sem_clockwait(sem, clock, until);
	uintptr_t pc = RECORD_CALLER;
	test_cancelled(pc);
	if (sched_on())
		return down_in_turn(sem, pc, EVENT_TIMED, virtual_time_of(clock, until));
	if (down_at_once(sem, pc, EVENT_TIMED))
		return 0;
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	int result = real()->sem_clockwait(sem, clock, until);
	call.how = UNKNOWN_WAIT_NOTHING;
	return waited(sem, pc, EVENT_TIMED, result);
}

SOOTH_API int sem_trywait(sem_t *sem)
{
	uint64_t number;

	if (!record_on())
		return real()->sem_trywait(sem);
	if (sched_on())
		return down_in_turn(sem, RECORD_CALLER, EVENT_TRY, 0);
	int result = try_down(sem, &number);
	if (result == 0)
		record_down(sem, RECORD_CALLER, number, EVENT_TRY);
	else if (errno == EAGAIN)
		sync_object_record(EV_DOWN_FAIL, RECORD_CALLER, sem, number, EVENT_TRY);
	return result;
}

static bool is_full(sem_t *sem)
{
	int value;

	return real()->sem_getvalue(sem, &value) == 0 && value == SEM_VALUE_MAX;
}

/*
 * Recorded before the post: a thread that waits takes its number as soon as it is let through, outside
 * the stripe, and may end the process while we are still at it. A post that must fail is not.
 */
SOOTH_API int sem_post(sem_t *sem)
{
	if (!record_on() || is_full(sem))
		return real()->sem_post(sem);
	sched_before(EV_POST, sem, 0, RECORD_CALLER);
	bool striped = record_stripe_lock(sem);
	sync_object_record(EV_POST, RECORD_CALLER, sem, record_sequence(sem), 0);
	int result = real()->sem_post(sem);
	if (striped)
		record_stripe_unlock(sem);
	if (sched_taking && !sched_on())
		sched_poke();
	return result;
}

SOOTH_API int sem_init(sem_t *sem, int shared, unsigned value)
{
	sched_before(EV_SEM_INIT, sem, 0, RECORD_CALLER);
	int result = real()->sem_init(sem, shared, value);

	if (result == 0 && record_on())
		record(EV_SEM_INIT, RECORD_CALLER,
		       (struct record_fields){
			       .q = record_sequence(sem), .a = (uintptr_t)sem, .n = value });
	return result;
}

SOOTH_API int sem_destroy(sem_t *sem)
{
	sched_before(EV_SEM_DESTROY, sem, 0, RECORD_CALLER);
	int result = real()->sem_destroy(sem);

	if (result == 0 && record_on())
		sync_object_record(EV_SEM_DESTROY, RECORD_CALLER, sem, record_sequence(sem), 0);
	return result;
}

/* Named semaphores may be changed by other processes: their initial value is not known. */
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
