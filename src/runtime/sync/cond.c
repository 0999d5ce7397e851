/*
 * Condition variables. A wait is two events: WAIT, which gives the mutex up, and WOKEN, which has
 * it again. Both are numbered twice, in the order of the condition and in that of the mutex, while
 * the mutex is held. Signals are sent and numbered under the condition's stripe.
 */
#include "runtime/sync/cond.h"

#include "runtime/sync/mutex.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sched/sched.h"
#include "runtime/sync/destroy_wait.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

struct waiting {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	uintptr_t pc;
	int result;
};
#define CANCELLED (-1) /* `result` while the wait has not returned */

static void record_wait(enum event_kind kind, const struct waiting *waiting, uint64_t mode)
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
 * The end of a wait, also of one that is left by cancellation: the library has taken the mutex
 * again by then. Such a wait used up no signal, so it counts as timed out.
 */
static void woken(struct waiting *waiting)
{
	bool by_signal = waiting->result == 0 || waiting->result == EOWNERDEAD;

	if (!record_on())
		return;
	record_wait(EV_WOKEN, waiting, !by_signal);
	if (waiting->result == ENOTRECOVERABLE) { /* a robust mutex that nobody gets any more */
		sched_before(EV_RELEASE, waiting->mutex, 0, waiting->pc);
		sync_object_record(EV_RELEASE, waiting->pc, waiting->mutex,
				   record_sequence(waiting->mutex), 0);
	}
	if (waiting->result == CANCELLED)
		unknown_wait_end(
			&(struct unknown_wait_call){ waiting->pc, UNKNOWN_WAIT_CANCELLED });
	else if (!by_signal && waiting->result != ETIMEDOUT)
		record_unmodelled(waiting->pc, "wait on a condition failed");
}

/* Gives the mutex up for real, or takes it again: the scheduler has seen to it that it is free. */
static int take_mutex(pthread_mutex_t *mutex, uint64_t site)
{
	int result = mutex_try_really(mutex);

	if (result != EBUSY)
		return result;
	sched_leave(site);
	result = real()->pthread_mutex_lock(mutex);
	sched_return();
	return result;
}

/* As glibc has it. */
static bool is_shared(const pthread_cond_t *cond)
{
	return cond->__data.__wrefs & 1;
}

/* What other processes may signal, in real time, is waited for as it is. */
static int wait_outside(struct waiting *waiting, enum event_how how, uint64_t until, uint64_t site)
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
 * In turn: the scheduler plays the condition, the library's is not touched. Who is woken is decided
 * when somebody wakes.
 */
static int wait_in_turn(struct waiting *waiting, enum event_how how, uint64_t until)
{
	struct sched_want want = sched_want(EV_WAIT, waiting->cond, waiting->pc);

	want.other = (uintptr_t)waiting->mutex;
	want.foreign = false;
	want.how = how;
	sched_take(&want);
	record_wait(EV_WAIT, waiting, how);
	if (is_shared(waiting->cond))
		return wait_outside(waiting, how, until, want.site);
	real()->pthread_mutex_unlock(waiting->mutex);
	want.kind = EV_WOKEN;
	want.until = until;
	want.lock = mutex_turn_lock(waiting->mutex);
	enum sched_answer answer = sched_take(&want);
	int taken = take_mutex(waiting->mutex, want.site);
	if (sched_cancelled())
		real()->pthread_testcancel(); /* `woken` records what is left to record */
	waiting->result = taken == ENOTRECOVERABLE    ? taken
			  : answer == SCHED_TIMED_OUT ? ETIMEDOUT
						      : 0;
	return taken ? taken : waiting->result;
}

/* Records that the mutex of a wait that begins is not the caller's. */
static void judge_mutex(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if (mutex_is_anothers(mutex))
		sync_object_misuse(EVENT_MISUSE_NOT_HELD, pc, mutex);
}

/* A wait that the library has refused because of its mutex. */
static int refused(const pthread_mutex_t *mutex, uintptr_t pc, int result)
{
	if (record_on())
		mutex_blame(mutex, pc, result);
	return result;
}

int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_cond_wait(cond, mutex);
	if (mutex_refuses(mutex))
		return refused(mutex, pc, real()->pthread_cond_wait(cond, mutex));
	judge_mutex(mutex, pc);
	if (sched_on()) {
		struct waiting waiting
			__attribute__((cleanup(woken))) = { cond, mutex, pc, CANCELLED };
		return wait_in_turn(&waiting, EVENT_PLAIN, 0);
	}
	struct waiting waiting __attribute__((cleanup(woken))) = { cond, mutex, pc, CANCELLED };
	record_wait(EV_WAIT, &waiting, EVENT_PLAIN);
	return waiting.result = real()->pthread_cond_wait(cond, mutex);
}

SOOTH_API int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
	return cond_wait(cond, mutex, RECORD_CALLER);
}

static int wait_until_in_turn(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until,
			      uintptr_t pc)
{
	struct waiting waiting __attribute__((cleanup(woken))) = { cond, mutex, pc, CANCELLED };

	return wait_in_turn(&waiting, EVENT_TIMED, until);
}

int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until,
		    uintptr_t pc)
{
	if (!record_on() || !sync_object_time_valid(until))
		return real()->pthread_cond_timedwait(cond, mutex, until);
	if (mutex_refuses(mutex))
		return refused(mutex, pc, real()->pthread_cond_timedwait(cond, mutex, until));
	judge_mutex(mutex, pc);
	if (sched_on())
		return wait_until_in_turn(cond, mutex, virtual_time_of(CLOCK_REALTIME, until), pc);
	struct waiting waiting __attribute__((cleanup(woken))) = { cond, mutex, pc, CANCELLED };
	record_wait(EV_WAIT, &waiting, EVENT_TIMED);
	return waiting.result = real()->pthread_cond_timedwait(cond, mutex, until);
}

SOOTH_API int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				     const struct timespec *restrict until)
{
	return cond_wait_until(cond, mutex, until, RECORD_CALLER);
}

SOOTH_API int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				     clockid_t clock, const struct timespec *restrict until)
{
	if (!record_on() || !sync_object_clock_valid(clock) || !sync_object_time_valid(until))
		return real()->pthread_cond_clockwait(cond, mutex, clock, until);
	if (mutex_refuses(mutex))
		return refused(mutex, RECORD_CALLER,
			       real()->pthread_cond_clockwait(cond, mutex, clock, until));
	judge_mutex(mutex, RECORD_CALLER);
	if (sched_on())
		return wait_until_in_turn(cond, mutex, virtual_time_of(clock, until),
					  RECORD_CALLER);
	struct waiting waiting
		__attribute__((cleanup(woken))) = { cond, mutex, RECORD_CALLER, CANCELLED };
	record_wait(EV_WAIT, &waiting, EVENT_TIMED);
	return waiting.result = real()->pthread_cond_clockwait(cond, mutex, clock, until);
}

static int notify(enum event_kind kind, pthread_cond_t *cond, uintptr_t pc)
{
	sched_before(kind, cond, 0, pc);
	bool striped = record_stripe_lock(cond);

	/* Before: who is woken may end the process while we are still at it. */
	sync_object_record(kind, pc, cond, record_sequence(cond), 0);
	int result = kind == EV_SIGNAL ? real()->pthread_cond_signal(cond)
				       : real()->pthread_cond_broadcast(cond);
	if (striped)
		record_stripe_unlock(cond);
	if (sched_taking && !sched_on())
		sched_tell(kind, cond);
	return result;
}

int cond_signal(pthread_cond_t *cond, uintptr_t pc)
{
	return record_on() ? notify(EV_SIGNAL, cond, pc) : real()->pthread_cond_signal(cond);
}

SOOTH_API int pthread_cond_signal(pthread_cond_t *cond)
{
	return cond_signal(cond, RECORD_CALLER);
}

int cond_broadcast(pthread_cond_t *cond, uintptr_t pc)
{
	return record_on() ? notify(EV_BROADCAST, cond, pc) : real()->pthread_cond_broadcast(cond);
}

SOOTH_API int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return cond_broadcast(cond, RECORD_CALLER);
}

void cond_made(const pthread_cond_t *cond, uintptr_t pc)
{
	if (record_on())
		sync_object_record(EV_COND_INIT, pc, cond, record_sequence(cond), 0);
}

int cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes, uintptr_t pc)
{
	sched_before(EV_COND_INIT, cond, 0, pc);
	int result = real()->pthread_cond_init(cond, attributes);

	if (result == 0)
		cond_made(cond, pc);
	return result;
}

SOOTH_API int pthread_cond_init(pthread_cond_t *restrict cond,
				const pthread_condattr_t *restrict attributes)
{
	return cond_init(cond, attributes, RECORD_CALLER);
}

/* Recorded before: the library waits in here for threads that are still on their way out. */
int cond_destroy(pthread_cond_t *cond, uintptr_t pc)
{
	destroy_wait_in_turn(EV_COND_DESTROY, cond, pc);
	if (record_on())
		sync_object_record(EV_COND_DESTROY, pc, cond, record_sequence(cond), 0);
	return real()->pthread_cond_destroy(cond);
}

SOOTH_API int pthread_cond_destroy(pthread_cond_t *cond)
{
	return cond_destroy(cond, RECORD_CALLER);
}
