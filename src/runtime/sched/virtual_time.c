/*
 * One counter of nanoseconds stands for all clocks of the process. The interposed functions that
 * read a clock add the counter to the clock's start.
 */
#include "runtime/sched/virtual_time.h"

#include "runtime/server/per_run.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <stdatomic.h>
#include <sys/time.h>
#include <sys/times.h>

#define SECOND 1000000000ull
#define READ_NS 1000ull /* reading a clock takes this long in virtual time */

/* What the clocks show when a run begins. Any time would do; this one is realistic. */
#define EPOCH (1767225600ull * SECOND) /* 1 January 2026, UTC */
#define TAI_AHEAD (37ull * SECOND)
#define UPTIME (1000ull * SECOND)

PER_RUN static _Atomic uint64_t now;

uint64_t virtual_time_now(void)
{
	return atomic_load(&now);
}

void virtual_time_advance_to(uint64_t time)
{
	uint64_t before = atomic_load(&now);

	while (before < time && !atomic_compare_exchange_weak(&now, &before, time))
		;
}

/* Only the program sees virtual time; the runtime itself reads real clocks. */
static bool is_virtual(void)
{
	return __builtin_expect(sched_active, 0) && !thread_buffer_self.quiet;
}

static uint64_t read_clock(void)
{
	return atomic_fetch_add(&now, READ_NS) + READ_NS;
}

/* Finds the time that a clock shows at virtual time 0. False: the clock is not virtual. */
static bool find_start(clockid_t clock, uint64_t *start)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM: *start = EPOCH; return true;
	case CLOCK_TAI: *start = EPOCH + TAI_AHEAD; return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM: *start = UPTIME; return true;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID: *start = 0; return true;
	}
	*start = 0;
	return clock < 0; /* processor time of a thread or a process, usually the caller's own */
}

uint64_t virtual_time_length(const struct timespec *length)
{
	uint64_t ns;

	if (length->tv_sec < 0 || length->tv_nsec < 0)
		return 0;
	if (__builtin_mul_overflow((uint64_t)length->tv_sec, SECOND, &ns) ||
	    __builtin_add_overflow(ns, (uint64_t)length->tv_nsec, &ns))
		return UINT64_MAX;
	return ns;
}

uint64_t virtual_time_of(clockid_t clock, const struct timespec *absolute)
{
	uint64_t start, time = virtual_time_length(absolute);

	find_start(clock, &start);
	return time > start ? time - start : 0;
}

struct timespec virtual_time_real_end(uint64_t time)
{
	uint64_t here = virtual_time_now(), length = time > here ? time - here : 0;
	struct timespec end;

	real()->clock_gettime(CLOCK_MONOTONIC, &end);
	length += (uint64_t)end.tv_nsec;
	end.tv_sec += (time_t)(length / SECOND);
	end.tv_nsec = (long)(length % SECOND);
	return end;
}

/* ---- interposed clocks ----------------------------------------------------------------------- */

/* The results of these functions are recorded as WRITEs of the caller (transfer.h). */
SOOTH_API int clock_gettime(clockid_t clock, struct timespec *time)
{
	uint64_t start;
	int result = 0;

	if (is_virtual() && find_start(clock, &start))
		*time = virtual_time_timespec(start + read_clock());
	else
		result = real()->clock_gettime(clock, time);
	if (result == 0)
		transfer_wrote(time, sizeof(*time), RECORD_CALLER);
	return result;
}

SOOTH_API int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	int result = 0;

	if (is_virtual()) {
		struct timespec exact = virtual_time_timespec(EPOCH + read_clock());
		struct timeval *to = time;
		__asm__(""
			/* the header declares `time` non-NULL, but the C library accepts NULL */
			: "+r"(to));
		if (to)
			*to = (struct timeval){ exact.tv_sec, exact.tv_nsec / 1000 };
		if (zone)
			*(struct timezone *)zone = (struct timezone){ 0 };
	} else {
		result = real()->gettimeofday(time, zone);
	}
	if (result == 0)
		transfer_wrote(time, sizeof(*time), RECORD_CALLER);
	return result;
}

SOOTH_API time_t time(time_t *out)
{
	time_t seconds;

	if (is_virtual()) {
		seconds = virtual_time_timespec(EPOCH + read_clock()).tv_sec;
		if (out)
			*out = seconds;
	} else {
		seconds = real()->time(out);
	}
	if (out)
		transfer_wrote(out, sizeof(*out), RECORD_CALLER);
	return seconds;
}

SOOTH_API int timespec_get(struct timespec *time, int base)
{
	int result = base;

	if (is_virtual() && base == TIME_UTC)
		*time = virtual_time_timespec(EPOCH + read_clock());
	else
		result = real()->timespec_get(time, base);
	if (result)
		transfer_wrote(time, sizeof(*time), RECORD_CALLER);
	return result;
}

/* Processor time: the same as elapsed time. */
SOOTH_API clock_t clock(void)
{
	return is_virtual() ? (clock_t)(read_clock() / (SECOND / CLOCKS_PER_SEC)) : real()->clock();
}

#define TICK (SECOND / 100) /* ns per tick of times(): sysconf(_SC_CLK_TCK) is 100 */

SOOTH_API clock_t times(struct tms *out)
{
	clock_t result;

	if (is_virtual()) {
		uint64_t time = read_clock();
		if (out)
			*out = (struct tms){ .tms_utime = (clock_t)(time / TICK) };
		result = (clock_t)((UPTIME + time) / TICK);
	} else {
		result = real()->times(out);
	}
	if (out && result != -1)
		transfer_wrote(out, sizeof(*out), RECORD_CALLER);
	return result;
}
