/*
 * Condition variables. A wait is two events: WAIT releases the mutex; at WOKEN the thread holds it
 * again. Each has two sequence numbers, one of the condition and one of the mutex, which are taken
 * while the thread holds the mutex. A signal is sent and gets its number while the condition's
 * stripe is held.
 */
#include "runtime/sync/cond.h"

#include "runtime/sync/mutex.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/shared_mapping.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

/* A wait that has recorded its WAIT but not yet its WOKEN. */
struct cond_waiting {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	uintptr_t pc;
	int result;
};
#define CANCELLED (-1) /* value of `result` while the wait has not returned */

static void record_wait(enum event_kind kind, const struct cond_waiting *waiting, uint64_t mode)
{
	bool striped = record_stripe_lock(waiting->cond);
	uint64_t number = record_sequence(waiting->cond);

	if (striped)
		record_stripe_unlock(waiting->cond);
	record(kind, waiting->pc,
	       (struct record_fields){ .q = number,
				       .a = (uintptr_t)waiting->cond,
				       .b = (uintptr_t)waiting->mutex,
				       .n = record_sequence(waiting->mutex),
				       .m = mode });
}

/*
 * Records the end of a wait. Also runs when the thread is cancelled in the wait; before that, the
 * library has locked the mutex again. A cancelled wait has consumed no signal, so its WOKEN is
 * recorded as a timeout.
 */
static void record_woken(struct cond_waiting *waiting)
{
	bool by_signal = waiting->result == 0 || waiting->result == EOWNERDEAD;

	if (!record_on())
		return;
	record_wait(EV_WOKEN, waiting, !by_signal);
	if (waiting->result == ENOTRECOVERABLE) { /* the robust mutex cannot be locked any more */
		sched_before(EV_RELEASE, waiting->mutex, 0, waiting->pc);
		sync_object_record_next(EV_RELEASE, waiting->pc, waiting->mutex, 0);
	}
	if (waiting->result == CANCELLED)
		unknown_wait_end(
			&(struct unknown_wait_call){ waiting->pc, UNKNOWN_WAIT_CANCELLED });
	else if (!by_signal && waiting->result != ETIMEDOUT)
		record_unmodelled(waiting->pc, "wait on a condition failed");
}

/* ---- waits in controlled runs ---------------------------------------------------------------- */

/*
 * Locks the mutex again after a wait. The scheduler has made sure that no recorded thread holds the
 * mutex; if unrecorded code holds it, waits outside the schedule.
 */
static int relock_mutex(pthread_mutex_t *mutex, uint64_t site)
{
	int result = mutex_try_really(mutex);

	if (result != EBUSY)
		return result;
	sched_leave(site);
	result = real()->pthread_mutex_lock(mutex);
	sched_return();
	return result;
}

/* May other processes use the condition? The bit is that of glibc. */
static bool is_shared(const pthread_cond_t *cond)
{
	return cond->__data.__wrefs & 1;
}

/*
 * Waits by the real function. Used for a condition that is shared with other processes, because
 * they may signal it in real time.
 */
static int wait_in_real_time(struct cond_waiting *waiting, enum event_how how, uint64_t until,
			     uint64_t site)
{
	struct timespec end = virtual_time_real_end(until);

	sched_leave(site);
	waiting->result = how == EVENT_TIMED
				  ? real()->pthread_cond_clockwait(waiting->cond, waiting->mutex,
								   CLOCK_MONOTONIC, &end)
				  : real()->pthread_cond_wait(waiting->cond, waiting->mutex);
	sched_return();
	if (waiting->result == ETIMEDOUT)
		virtual_time_advance_to(until);
	return waiting->result;
}

/*
 * In a controlled run the scheduler simulates the condition; the library's condition is not used.
 * When a signal is sent, the scheduler decides which thread it wakes.
 */
static int wait_controlled(struct cond_waiting *waiting, enum event_how how, uint64_t until)
{
	struct sched_op want = sched_op(EV_WAIT, waiting->cond, waiting->pc);

	want.other = shared_mapping_identity((uintptr_t)waiting->mutex);
	want.foreign = false;
	want.how = how;
	sched_wait_until_enabled(&want);
	record_wait(EV_WAIT, waiting, how);
	if (is_shared(waiting->cond))
		return wait_in_real_time(waiting, how, until, want.site);
	real()->pthread_mutex_unlock(waiting->mutex);
	want.kind = EV_WOKEN;
	want.until = until;
	want.lock = mutex_sched_lock(waiting->mutex);
	enum sched_outcome answer = sched_wait_until_enabled(&want);
	int locked = relock_mutex(waiting->mutex, want.site);
	if (sched_cancelled())
		real()->pthread_testcancel(); /* if cancelled here: record_woken() runs */
	waiting->result = locked == ENOTRECOVERABLE   ? locked
			  : answer == SCHED_TIMED_OUT ? ETIMEDOUT
						      : 0;
	return locked ? locked : waiting->result;
}

/* ---- the functions --------------------------------------------------------------------------- */

/*
 * Records that the library has refused a wait because of its mutex. Returns `result`, the result of
 * the call.
 */
static int record_refused(const pthread_mutex_t *mutex, uintptr_t pc, int result)
{
	if (record_on())
		mutex_record_misuse(mutex, pc, result);
	return result;
}

/*
 * Defines `function`, which waits on `cond` by calling the real function `name`, and the interposer
 * `name`, which calls `function`. `valid` is true if the library accepts the arguments.
 */
#define WAIT(function, cond, mutex, name, parameters, valid, how, until)                           \
	int function(PARAMETERS parameters, uintptr_t pc)                                          \
	{                                                                                          \
		if (!record_on() || !(valid))                                                      \
			return real()->name(ARGUMENTS parameters);                                 \
		if (mutex_refuses(mutex))                                                          \
			return record_refused(mutex, pc, real()->name(ARGUMENTS parameters));      \
		if (mutex_is_not_held(mutex))                                                      \
			sync_object_misuse(EVENT_MISUSE_NOT_HELD, pc, mutex);                      \
		struct cond_waiting waiting                                                        \
			__attribute__((cleanup(record_woken))) = { cond, mutex, pc, CANCELLED };   \
		if (sched_on())                                                                    \
			return wait_controlled(&waiting, how, until);                              \
		record_wait(EV_WAIT, &waiting, how);                                               \
		return waiting.result = real()->name(ARGUMENTS parameters);                        \
	}                                                                                          \
	INTERPOSER(int, name, parameters, function)

static int cond_wait_clock(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until, uintptr_t pc);

WAIT(cond_wait, cond, mutex, pthread_cond_wait, (pthread_cond_t *, cond, pthread_mutex_t *, mutex),
     true, EVENT_PLAIN, 0)
WAIT(cond_wait_until, cond, mutex, pthread_cond_timedwait,
     (pthread_cond_t *, cond, pthread_mutex_t *, mutex, const struct timespec *, until),
     sync_object_time_valid(until), EVENT_TIMED, virtual_time_of(CLOCK_REALTIME, until))
WAIT(cond_wait_clock, cond, mutex, pthread_cond_clockwait,
     (pthread_cond_t *, cond, pthread_mutex_t *, mutex, clockid_t, clock, const struct timespec *,
      until),
     sync_object_clock_valid(clock) && sync_object_time_valid(until), EVENT_TIMED,
     virtual_time_of(clock, until))

static int send_signal(enum event_kind kind, pthread_cond_t *cond, uintptr_t pc)
{
	sched_before(kind, cond, 0, pc);
	bool striped = record_stripe_lock(cond);

	/*
	 * The event is recorded before the call, because a woken thread may end the process before
	 * the call returns.
	 */
	sync_object_record_next(kind, pc, cond, 0);
	int result = kind == EV_SIGNAL ? real()->pthread_cond_signal(cond)
				       : real()->pthread_cond_broadcast(cond);
	if (striped)
		record_stripe_unlock(cond);
	if (sched_active && !sched_on())
		sched_notify_signal(kind, cond);
	return result;
}

int cond_signal(pthread_cond_t *cond, uintptr_t pc)
{
	return record_on() ? send_signal(EV_SIGNAL, cond, pc) : real()->pthread_cond_signal(cond);
}

int cond_broadcast(pthread_cond_t *cond, uintptr_t pc)
{
	return record_on() ? send_signal(EV_BROADCAST, cond, pc)
			   : real()->pthread_cond_broadcast(cond);
}

void cond_record_init(const pthread_cond_t *cond, uintptr_t pc)
{
	if (record_on())
		sync_object_record_next(EV_COND_INIT, pc, cond, 0);
}

int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes, uintptr_t pc)
{
	sched_before(EV_COND_INIT, cond, 0, pc);
	int result = real()->pthread_cond_init(cond, attributes);

	if (result == 0)
		cond_record_init(cond, pc);
	return result;
}

/*
 * The event is recorded before the real call, because that call waits for threads that are still
 * leaving their waits.
 */
int cond_destroy(pthread_cond_t *cond, uintptr_t pc)
{
	sync_object_destroy_controlled(EV_COND_DESTROY, cond, pc);
	if (record_on())
		sync_object_record_next(EV_COND_DESTROY, pc, cond, 0);
	return real()->pthread_cond_destroy(cond);
}

INTERPOSER(int, pthread_cond_signal, (pthread_cond_t *, cond), cond_signal)
INTERPOSER(int, pthread_cond_broadcast, (pthread_cond_t *, cond), cond_broadcast)
INTERPOSER(int, pthread_cond_init, (pthread_cond_t *, cond, const pthread_condattr_t *, attributes),
	   cond_init)
INTERPOSER(int, pthread_cond_destroy, (pthread_cond_t *, cond), cond_destroy)
