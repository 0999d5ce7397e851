/*
 * A table of the kernel timers that the program has set. When the virtual clock jumps, they are
 * brought forward. Also interposes the functions that set timers.
 */
#include "runtime/sched/timers.h"

#include "runtime/server/per_run.h"
#include "runtime/sched/fiber.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/server/server.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>

/* ---- the table of timers --------------------------------------------------------------------- */

/*
 * The timers of clocks that show time. Timers of processor time are not virtual. A timer for which
 * the table has no room runs in real time only.
 */
enum timer_kind { FREE, MAKING, INTERVAL, POSIX, DESCRIPTOR };
#define TIMERS 64u
PER_RUN static struct timer {
	_Atomic int kind;
	timer_t timer;
	clockid_t clock;
	int fd;
} timers[TIMERS];
PER_RUN bool timers_used;

static bool is_time_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

static struct timer *find_timer(enum timer_kind kind, timer_t timer, int fd)
{
	for (unsigned i = 0; i < TIMERS; i++)
		if (timers[i].kind == (int)kind && timers[i].timer == timer && timers[i].fd == fd)
			return &timers[i];
	return NULL;
}

static void add_timer(enum timer_kind kind, timer_t timer, int fd, clockid_t clock)
{
	if (!sched_active || find_timer(kind, timer, fd))
		return;
	for (unsigned i = 0; i < TIMERS; i++) {
		int unused = FREE;
		if (!atomic_compare_exchange_strong(&timers[i].kind, &unused, MAKING))
			continue;
		timers[i].timer = timer;
		timers[i].fd = fd;
		timers[i].clock = clock;
		timers[i].kind = (int)kind;
		timers_used = true;
		return;
	}
}

/* ---- reading and advancing them -------------------------------------------------------------- */

static bool read_timer(const struct timer *t, struct itimerspec *time)
{
	struct itimerval old;

	switch (t->kind) {
	case INTERVAL:
		if (getitimer(ITIMER_REAL, &old) != 0)
			return false;
		TIMEVAL_TO_TIMESPEC(&old.it_value, &time->it_value);
		TIMEVAL_TO_TIMESPEC(&old.it_interval, &time->it_interval);
		return true;
	case POSIX: return timer_gettime(t->timer, time) == 0;
	case DESCRIPTOR: return timerfd_gettime(t->fd, time) == 0;
	}
	return false;
}

static bool set_timer(const struct timer *t, const struct itimerspec *time,
		      struct itimerspec *before)
{
	struct itimerval new, old;

	switch (t->kind) {
	case INTERVAL:
		TIMESPEC_TO_TIMEVAL(&new.it_value, &time->it_value);
		TIMESPEC_TO_TIMEVAL(&new.it_interval, &time->it_interval);
		if (time->it_value.tv_nsec && !new.it_value.tv_usec)
			new.it_value.tv_usec = 1; /* 0 would disarm the timer */
		if (real()->setitimer(ITIMER_REAL, &new, &old) != 0)
			return false;
		TIMEVAL_TO_TIMESPEC(&old.it_value, &before->it_value);
		return true;
	case POSIX: return real()->timer_settime(t->timer, 0, time, before) == 0;
	case DESCRIPTOR: return real()->timerfd_settime(t->fd, 0, time, before) == 0;
	}
	return false;
}

uint64_t timers_until_first(void)
{
	uint64_t first = UINT64_MAX;
	int error = errno;

	for (unsigned i = 0; i < TIMERS; i++) {
		struct itimerspec time;
		if (timers[i].kind <= MAKING)
			continue;
		if (!read_timer(&timers[i], &time)) {
			timers[i].kind = FREE; /* its descriptor was closed */
			continue;
		}
		uint64_t left = virtual_time_length(&time.it_value);
		if (left && left < first)
			first = left;
	}
	errno = error;
	return first;
}

/*
 * Makes the timer expire earlier by `length` ns. If it expired by itself in the meantime, it is
 * disarmed, because it must not expire twice.
 */
static void bring_forward(const struct timer *t, uint64_t length)
{
	static const struct itimerspec never;
	struct itimerspec time, before;

	if (t->kind <= MAKING || !read_timer(t, &time))
		return;
	uint64_t left = virtual_time_length(&time.it_value);
	if (!left)
		return;
	left = left > length ? left - length : 1;
	time.it_value = virtual_time_timespec(left);
	if (set_timer(t, &time, &before) && !virtual_time_length(&before.it_value))
		set_timer(t, &never, &before);
}

void timers_bring_forward(uint64_t length)
{
	int error = errno;
	uint32_t sent = sched_before_sending();
	bool expires = timers_until_first() <= length;

	for (unsigned i = 0; length && i < TIMERS; i++)
		bring_forward(&timers[i], length);
	if (expires)
		sched_after_sending(sent);
	errno = error;
}

/* ---- functions that the program calls -------------------------------------------------------- */

static void note_unmodelled(const char *name, uintptr_t pc)
{
	if (sched_active)
		sched_expect_outside_wakeups();
	if (sched_on())
		record_unmodelled(pc, name);
}

/* Converts an absolute time of a virtual clock to a relative one, stored in `*length`. */
static const struct itimerspec *to_relative(const struct itimerspec *time, clockid_t clock,
					    struct itimerspec *length)
{
	uint64_t now = virtual_time_now(), then;

	if (!virtual_time_length(&time->it_value))
		return time;
	then = virtual_time_of(clock, &time->it_value);
	then = then > now ? then - now : 1;
	*length = *time;
	length->it_value = virtual_time_timespec(then);
	return length;
}

/*
 * The shortest interval of a timer in a controlled run. Running a handler takes a controlled run
 * longer than a few microseconds, so with shorter intervals the next signal would always be there
 * before the program has gone on. A program on a slow machine sees such expirations late as well.
 */
#define SHORTEST_NS 1000000u

static bool is_too_short(uint64_t interval)
{
	return sched_active && interval > 0 && interval < SHORTEST_NS;
}

/* Returns `time`, or a copy in `*longer` whose interval is long enough. */
static const struct itimerval *lengthen_interval(const struct itimerval *time,
						 struct itimerval *longer)
{
	if (!sched_active || !safe_read_can_read(time, sizeof(*time)) ||
	    time->it_interval.tv_sec != 0 || time->it_interval.tv_usec < 0 ||
	    !is_too_short((uint64_t)time->it_interval.tv_usec * 1000))
		return time;
	*longer = *time;
	longer->it_interval.tv_usec = SHORTEST_NS / 1000;
	return longer;
}

static const struct itimerspec *lengthen_interval_spec(const struct itimerspec *time,
						       struct itimerspec *longer)
{
	if (!sched_active || !safe_read_can_read(time, sizeof(*time)) ||
	    time->it_interval.tv_sec != 0 || time->it_interval.tv_nsec < 0 ||
	    !is_too_short((uint64_t)time->it_interval.tv_nsec))
		return time;
	*longer = *time;
	longer->it_interval.tv_nsec = SHORTEST_NS;
	return longer;
}

SOOTH_API unsigned alarm(unsigned seconds)
{
	server_refuse("alarm");
	note_unmodelled("alarm in real time", RECORD_CALLER);
	add_timer(INTERVAL, 0, -1, CLOCK_REALTIME);
	return real()->alarm(seconds);
}

SOOTH_API int setitimer(__itimer_which_t which, const struct itimerval *restrict time,
			struct itimerval *restrict before)
{
	server_refuse("setitimer");
	note_unmodelled("setitimer in real time", RECORD_CALLER);
	struct itimerval longer;

	if (which == ITIMER_REAL)
		add_timer(INTERVAL, 0, -1, CLOCK_REALTIME);
	return real()->setitimer(which, lengthen_interval(time, &longer), before);
}

SOOTH_API int timer_create(clockid_t clock, struct sigevent *restrict event,
			   timer_t *restrict timer)
{
	server_refuse("timer_create");
	fiber_refuse("timer_create");
	int result = real()->timer_create(clock, event, timer);
	if (result == 0 && is_time_clock(clock))
		add_timer(POSIX, *timer, -1, clock);
	return result;
}

SOOTH_API int timer_delete(timer_t timer)
{
	struct timer *t = find_timer(POSIX, timer, -1);

	if (t)
		t->kind = FREE;
	return real()->timer_delete(timer);
}

SOOTH_API int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict time,
			    struct itimerspec *restrict before)
{
	const struct timer *t = find_timer(POSIX, timer, -1);
	struct itimerspec length, longer;

	note_unmodelled("timer_settime in real time", RECORD_CALLER);
	if (t && flags & TIMER_ABSTIME && safe_read_can_read(time, sizeof(*time)) &&
	    sync_object_time_valid(&time->it_value)) {
		time = to_relative(time, t->clock, &length);
		flags &= ~TIMER_ABSTIME;
	}
	return real()->timer_settime(timer, flags, lengthen_interval_spec(time, &longer), before);
}

/* Returns the clock of a timerfd from its fdinfo. -1: not a timerfd. */
static clockid_t clock_of(int fd)
{
	char path[64], text[512];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	int info = real()->open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return -1;
	ssize_t n = real()->read(info, text, sizeof(text) - 1);
	real()->close(info);
	text[n > 0 ? n : 0] = 0;
	at = strstr(text, "clockid:");
	return at ? (clockid_t)strtol(at + 8, NULL, 10) : -1;
}

SOOTH_API int timerfd_settime(int fd, int flags, const struct itimerspec *time,
			      struct itimerspec *before)
{
	struct itimerspec length;

	note_unmodelled("timerfd_settime in real time", RECORD_CALLER);
	if (sched_active) {
		int error = errno;
		clockid_t clock = clock_of(fd);
		if (is_time_clock(clock))
			add_timer(DESCRIPTOR, 0, fd, clock);
		if (is_time_clock(clock) && flags & TFD_TIMER_ABSTIME &&
		    safe_read_can_read(time, sizeof(*time)) &&
		    sync_object_time_valid(&time->it_value)) {
			time = to_relative(time, clock, &length);
			flags = 0;
		}
		errno = error;
	}
	return real()->timerfd_settime(fd, flags, time, before);
}
