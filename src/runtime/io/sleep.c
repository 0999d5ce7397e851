/*
 * Sleeping and yielding. In a controlled run a sleep takes virtual time, and the scheduler decides
 * when it ends. Otherwise the real function sleeps, and nothing is recorded unless the thread is
 * cancelled.
 */
#include "runtime/io/sleep.h"

#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <sched.h>

bool sleep_may_wait(const struct timespec *timeout)
{
	return !timeout || (safe_read_can_read(timeout, sizeof(*timeout)) &&
			    (timeout->tv_sec || timeout->tv_nsec));
}

bool sleep_is_duration(const struct timespec *time)
{
	return safe_read_can_read(time, sizeof(*time)) && sync_object_time_valid(time) &&
	       time->tv_sec >= 0;
}

int sleep_controlled(uint64_t until, struct timespec *rest, uintptr_t pc)
{
	bool slept = sched_sleep(until, pc);

	real()->pthread_testcancel();
	if (slept)
		return 0;
	uint64_t now = virtual_time_now(), left = until > now ? until - now : 0;
	if (rest)
		*rest = (struct timespec){ .tv_sec = (time_t)(left / 1000000000u),
					   .tv_nsec = (long)(left % 1000000000u) };
	return EINTR;
}

int sleep_result(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* Returns the number of seconds that are left. */
static unsigned sleep_seconds(unsigned seconds, uintptr_t pc)
{
	struct timespec rest = { 0 };

	sleep_result(sleep_controlled(virtual_time_now() + seconds * 1000000000ull, &rest, pc));
	return (unsigned)rest.tv_sec;
}

/* `time` is a point in time of `clock` if the flags contain TIMER_ABSTIME, otherwise a duration. */
static int sleep_by_clock(clockid_t clock, int flags, const struct timespec *time,
			  struct timespec *rest, uintptr_t pc)
{
	if (flags & TIMER_ABSTIME)
		return sleep_controlled(virtual_time_of(clock, time), NULL, pc);
	return sleep_controlled(virtual_time_now() + virtual_time_length(time), rest, pc);
}

/*
 * An interposer that sleeps. In a controlled run, if `valid` is true, the expression `controlled`
 * sleeps and gives the result. If `left` is true after the sleep, the remaining time has been
 * stored in `rest`.
 */
#define SLEEP(name, parameters, type, result, valid, controlled, left, rest)                       \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		type result;                                                                       \
		if (sched_on() && (valid)) {                                                       \
			result = controlled;                                                       \
		} else {                                                                           \
			sched_leave_in_handler(RECORD_CALLER);                                     \
			result = real()->name(ARGUMENTS parameters);                               \
		}                                                                                  \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (left)                                                                          \
			transfer_wrote(rest, sizeof(struct timespec), RECORD_CALLER);              \
		return result;                                                                     \
	}

SLEEP(sleep, (unsigned, seconds), unsigned, result, true, sleep_seconds(seconds, RECORD_CALLER),
      false, NULL)
SLEEP(usleep, (useconds_t, time), int, result, true,
      sleep_result(sleep_controlled(virtual_time_now() + time * 1000ull, NULL, RECORD_CALLER)),
      false, NULL)
SLEEP(nanosleep, (const struct timespec *, time, struct timespec *, rest), int, result,
      sleep_is_duration(time),
      sleep_result(sleep_by_clock(CLOCK_MONOTONIC, 0, time, rest, RECORD_CALLER)),
      result < 0 && errno == EINTR && rest, rest)
SLEEP(clock_nanosleep,
      (clockid_t, clock, int, flags, const struct timespec *, time, struct timespec *, rest), int,
      result, sleep_is_duration(time) && sync_object_clock_valid(clock),
      sleep_by_clock(clock, flags, time, rest, RECORD_CALLER),
      result == EINTR && rest && !(flags & TIMER_ABSTIME), rest)

SOOTH_API int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
	if (!sched_on() || !sleep_is_duration(time))
		return real()->thrd_sleep(time, rest);
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);
	int error = sleep_by_clock(CLOCK_MONOTONIC, 0, time, rest, RECORD_CALLER);
	call.how = UNKNOWN_WAIT_NOTHING;
	return error ? -1 : 0;
}

SOOTH_API int sched_yield(void)
{
	if (sched_on()) {
		sched_yield_turn(RECORD_CALLER);
		return 0;
	}
	sched_leave_in_handler(RECORD_CALLER);
	int result = real()->sched_yield();
	if (sched_active)
		sched_return();
	return result;
}

SOOTH_API void thrd_yield(void)
{
	sched_yield();
}

SOOTH_API void pthread_testcancel(void)
{
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);

	if (sched_on())
		sched_yield_turn(
			RECORD_CALLER); /* a loop of these calls waits for another thread */
	real()->pthread_testcancel();
	call.how = UNKNOWN_WAIT_NOTHING;
}
