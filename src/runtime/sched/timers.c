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

#define SECOND 1000000000ull

/* ---- those that there are -------------------------------------------------------------------- */

/* By clocks of time; processor time is not ours. Whatever finds no room is in real time alone. */
enum timer_kind { FREE, MAKING, INTERVAL, POSIX, DESCRIPTOR };
#define TIMERS 64u
PER_RUN static struct timer {
	_Atomic int kind;
	timer_t timer;
	clockid_t clock;
	int fd;
} timers[TIMERS];
PER_RUN bool timers_used;

static bool is_of_time(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_TAI || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

static struct timer *find(enum timer_kind kind, timer_t timer, int fd)
{
	for (unsigned i = 0; i < TIMERS; i++)
		if (timers[i].kind == (int)kind && timers[i].timer == timer && timers[i].fd == fd)
			return &timers[i];
	return NULL;
}

static void enter(enum timer_kind kind, timer_t timer, int fd, clockid_t clock)
{
	if (!sched_taking || find(kind, timer, fd))
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

/* ---- how they stand -------------------------------------------------------------------------- */

static bool get(const struct timer *t, struct itimerspec *time)
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

static bool set(const struct timer *t, const struct itimerspec *time, struct itimerspec *before)
{
	struct itimerval new, old;

	switch (t->kind) {
	case INTERVAL:
		TIMESPEC_TO_TIMEVAL(&new.it_value, &time->it_value);
		TIMESPEC_TO_TIMEVAL(&new.it_interval, &time->it_interval);
		if (time->it_value.tv_nsec && !new.it_value.tv_usec)
			new.it_value.tv_usec = 1; /* 0 would be never */
		if (real()->setitimer(ITIMER_REAL, &new, &old) != 0)
			return false;
		TIMEVAL_TO_TIMESPEC(&old.it_value, &before->it_value);
		return true;
	case POSIX: return real()->timer_settime(t->timer, 0, time, before) == 0;
	case DESCRIPTOR: return real()->timerfd_settime(t->fd, 0, time, before) == 0;
	}
	return false;
}

uint64_t timers_first(void)
{
	uint64_t first = UINT64_MAX;
	int error = errno;

	for (unsigned i = 0; i < TIMERS; i++) {
		struct itimerspec time;
		if (timers[i].kind <= MAKING)
			continue;
		if (!get(&timers[i], &time)) {
			timers[i].kind = FREE; /* a descriptor that was closed */
			continue;
		}
		uint64_t left = virtual_time_length(&time.it_value);
		if (left && left < first)
			first = left;
	}
	errno = error;
	return first;
}

/* One that has run out by itself meanwhile is not to do so twice. */
static void move_on(const struct timer *t, uint64_t length)
{
	static const struct itimerspec never;
	struct itimerspec time, before;

	if (t->kind <= MAKING || !get(t, &time))
		return;
	uint64_t left = virtual_time_length(&time.it_value);
	if (!left)
		return;
	left = left > length ? left - length : 1;
	time.it_value = (struct timespec){ .tv_sec = (time_t)(left / SECOND),
					   .tv_nsec = (long)(left % SECOND) };
	if (set(t, &time, &before) && !virtual_time_length(&before.it_value))
		set(t, &never, &before);
}

void timers_pass(uint64_t length)
{
	int error = errno;
	uint32_t sent = sched_before_sending();
	bool runs_out = timers_first() <= length;

	for (unsigned i = 0; length && i < TIMERS; i++)
		move_on(&timers[i], length);
	if (runs_out)
		sched_sent(sent);
	errno = error;
}

/* ---- what the program calls ------------------------------------------------------------------ */

static void note(const char *name, uintptr_t pc)
{
	if (sched_taking)
		sched_expect_others();
	if (sched_on())
		record_unmodelled(pc, name);
}

/* The time of an absolute one is by virtual clocks, and becomes how long it is until then. */
static const struct itimerspec *as_length(const struct itimerspec *time, clockid_t clock,
					  struct itimerspec *length)
{
	uint64_t now = virtual_time_now(), then;

	if (!virtual_time_length(&time->it_value))
		return time;
	then = virtual_time_of(clock, &time->it_value);
	then = then > now ? then - now : 1;
	*length = *time;
	length->it_value = (struct timespec){ .tv_sec = (time_t)(then / SECOND),
					      .tv_nsec = (long)(then % SECOND) };
	return length;
}

SOOTH_API unsigned alarm(unsigned seconds)
{
	server_refuse("alarm");
	note("alarm in real time", RECORD_CALLER);
	enter(INTERVAL, 0, -1, CLOCK_REALTIME);
	return real()->alarm(seconds);
}

SOOTH_API int setitimer(__itimer_which_t which, const struct itimerval *restrict time,
			struct itimerval *restrict before)
{
	server_refuse("setitimer");
	note("setitimer in real time", RECORD_CALLER);
	if (which == ITIMER_REAL)
		enter(INTERVAL, 0, -1, CLOCK_REALTIME);
	return real()->setitimer(which, time, before);
}

SOOTH_API int timer_create(clockid_t clock, struct sigevent *restrict event,
			   timer_t *restrict timer)
{
	server_refuse("timer_create");
	fiber_refuse("timer_create");
	int result = real()->timer_create(clock, event, timer);
	if (result == 0 && is_of_time(clock))
		enter(POSIX, *timer, -1, clock);
	return result;
}

SOOTH_API int timer_delete(timer_t timer)
{
	struct timer *t = find(POSIX, timer, -1);

	if (t)
		t->kind = FREE;
	return real()->timer_delete(timer);
}

SOOTH_API int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict time,
			    struct itimerspec *restrict before)
{
	const struct timer *t = find(POSIX, timer, -1);
	struct itimerspec length;

	note("timer_settime in real time", RECORD_CALLER);
	if (t && flags & TIMER_ABSTIME && safe_read_can_read(time, sizeof(*time)) &&
	    sync_object_time_valid(&time->it_value)) {
		time = as_length(time, t->clock, &length);
		flags &= ~TIMER_ABSTIME;
	}
	return real()->timer_settime(timer, flags, time, before);
}

/* Of which clock a descriptor is, the kernel tells in its text. -1: it is none of a timer. */
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

	note("timerfd_settime in real time", RECORD_CALLER);
	if (sched_taking) {
		int error = errno;
		clockid_t clock = clock_of(fd);
		if (is_of_time(clock))
			enter(DESCRIPTOR, 0, fd, clock);
		if (is_of_time(clock) && flags & TFD_TIMER_ABSTIME &&
		    safe_read_can_read(time, sizeof(*time)) &&
		    sync_object_time_valid(&time->it_value)) {
			time = as_length(time, clock, &length);
			flags = 0;
		}
		errno = error;
	}
	return real()->timerfd_settime(fd, flags, time, before);
}
