/*
 * Calls in which a thread may wait, through the kernel, for what another does: for a signal, a child,
 * a file lock. (Pipes and sockets: read_write.c, open_close.c, readiness.c.) SYNC stands behind each that got what it
 * waited for. One that failed or timed out has learned nothing that others did before.
 *
 * Files that keep what is written to them make nobody wait, and what is read from them is looked at
 * as a value: there a SYNC would only take schedules away from the predictions.
 */
#include "runtime/sync/fork.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- when has a call waited? ---------------------------------------------------------------- */

static bool succeeded(long result)
{
	return result == 0;
}

static bool not_failed(long result)
{
	return result >= 0;
}

static bool got_some(long result)
{
	return result > 0;
}

static bool came_back(long result)
{
	(void)result;
	return true;
}

/* ---- might it wait? In turn such a call is made outside ---------------------------------------- */

static bool is_long(const struct timespec *time)
{
	return !time ||
	       (safe_read_can_read(time, sizeof(*time)) && (time->tv_sec || time->tv_nsec));
}

/* A signal that is there already is taken at once. */
static bool is_silent(const sigset_t *set)
{
	sigset_t pending, both;

	if (!safe_read_can_read(set, sizeof(*set)) || sigpending(&pending) != 0)
		return true;
	sigandset(&both, set, &pending);
	return sigisemptyset(&both);
}

/*
 * An interposer that calls the real function; `waited` is one of the above, `may_wait` an
 * expression of the arguments. When the call is over `unknown_wait_end` takes the turn again.
 */
#define WAIT(type, name, parameters, arguments, waited, may_wait)                                  \
	WAIT_BEHIND((void)0, type, name, parameters, arguments, waited, may_wait)
#define WAIT_BEHIND(first, type, name, parameters, arguments, waited, may_wait)                    \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		first;                                                                             \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		if (sched_may_leave() && (may_wait))                                               \
			sched_leave(RECORD_CALLER);                                                \
		type result = real()->name arguments;                                              \
		call.how = waited((long)result) ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;      \
		return result;                                                                     \
	}

/* ---- signals and children ------------------------------------------------------------------- */

WAIT(int, sigwait, (const sigset_t *restrict set, int *restrict number), (set, number), succeeded,
     is_silent(set))
WAIT(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info),
     got_some, is_silent(set))
WAIT(int, sigtimedwait,
     (const sigset_t *restrict set, siginfo_t *restrict info,
      const struct timespec *restrict timeout),
     (set, info, timeout), got_some, is_long(timeout) && is_silent(set))
WAIT(int, sigsuspend, (const sigset_t *mask), (mask), came_back, true)
WAIT(int, pause, (void), (), came_back, true)

WAIT(pid_t, wait, (int *status), (status), got_some, true)
WAIT(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options), got_some,
     !(options & WNOHANG))
WAIT(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage),
     got_some, !(options & WNOHANG))
WAIT(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage),
     (child, status, options, usage), got_some, !(options & WNOHANG))
WAIT(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
     succeeded, !(options & WNOHANG))

/* ---- queues, semaphores and file locks of the kernel ---------------------------------------- */

WAIT(ssize_t, mq_receive, (mqd_t queue, char *to, size_t size, unsigned *priority),
     (queue, to, size, priority), not_failed, transfer_is_empty(queue))
WAIT(ssize_t, mq_timedreceive,
     (mqd_t queue, char *restrict to, size_t size, unsigned *restrict priority,
      const struct timespec *restrict until),
     (queue, to, size, priority, until), not_failed, transfer_is_empty(queue))
WAIT(ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags),
     (queue, to, size, type, flags), not_failed, !(flags & IPC_NOWAIT))
/* Who lets go of something here lets others go on. */
#define RELEASE_OR_WAIT(type, name, parameters, arguments, may_wait)                               \
	WAIT_BEHIND(unknown_wait_hand_over(RECORD_CALLER), type, name, parameters, arguments,      \
		    succeeded, may_wait)

RELEASE_OR_WAIT(int, semop, (int set, struct sembuf *operations, size_t count),
		(set, operations, count), true)
RELEASE_OR_WAIT(int, semtimedop,
		(int set, struct sembuf *operations, size_t count, const struct timespec *timeout),
		(set, operations, count, timeout), is_long(timeout))
RELEASE_OR_WAIT(int, flock, (int fd, int operation), (fd, operation),
		!(operation & (LOCK_NB | LOCK_UN)))
RELEASE_OR_WAIT(int, lockf, (int fd, int command, off_t length), (fd, command, length),
		command == F_LOCK)
RELEASE_OR_WAIT(int, lockf64, (int fd, int command, off64_t length), (fd, command, length),
		command == F_LOCK)

#define SEND(name, parameters, arguments)                                                          \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		unknown_wait_hand_over(RECORD_CALLER);                                             \
		return real()->name arguments;                                                     \
	}

SEND(mq_send, (mqd_t queue, const char *from, size_t size, unsigned priority),
     (queue, from, size, priority))
SEND(mq_timedsend,
     (mqd_t queue, const char *from, size_t size, unsigned priority, const struct timespec *until),
     (queue, from, size, priority, until))
SEND(msgsnd, (int queue, const void *from, size_t size, int flags), (queue, from, size, flags))

/* ---- futexes -------------------------------------------------------------------------------- */

static bool waits(long number, long operation)
{
	if (number == SYS_futex_waitv)
		return true;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2: return number == SYS_futex;
	}
	return false;
}

/* A word that is not as it was said to be makes nobody wait; nor does one that is nowhere. */
static bool may_sleep(long number, const void *word, int expected)
{
	int now;

	return number != SYS_futex || (safe_read(&now, word, sizeof(now)) && now == expected);
}

/* Calls that put something into a channel, or make or close its ends, without one of our functions. */
static void lose_unseen(long number, int fd, int other)
{
	switch (number) {
	case SYS_splice: descriptor_lose(other); break;
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendfile:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_shutdown:
	case SYS_close:
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
	case SYS_fcntl: break;
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_close_range:
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
	case SYS_io_setup:
	case SYS_io_uring_setup: channel_lose_all(); return;
	default: return;
	}
	descriptor_lose(fd);
}

/*
 * `syscall`, which has no wrapper in the library but this. Declared with all the arguments it can
 * have: the calling convention is the same, and the seventh is left where it lies. A futex that did
 * not have the value it was said to have was changed by somebody, as one that was woken.
 */
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e,
			    long f) __asm__("syscall");
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (!waits(number, b)) {
		if (number != SYS_gettid)
			unknown_wait_hand_over(RECORD_CALLER);
		lose_unseen(number, (int)a, (int)c);
		bool forks = fork_by_call(number, a, b);
		long got = real()->syscall(number, a, b, c, d, e, f);
		return forks ? fork_called(got, RECORD_CALLER) : got;
	}
	if (sched_may_leave() && may_sleep(number, (const void *)a, (int)c))
		sched_leave(RECORD_CALLER);
	long result = real()->syscall(number, a, b, c, d, e, f);
	struct unknown_wait_call call = { RECORD_CALLER, UNKNOWN_WAIT_WAITED };
	if (sched_taking)
		sched_return();
	if (result >= 0 || errno == EAGAIN)
		unknown_wait_end(&call);
	return result;
}

/* ---- sleeping and yielding -------------------------------------------------------------------- */

static bool is_time(const struct timespec *time)
{
	return safe_read_can_read(time, sizeof(*time)) && sync_object_time_valid(time) &&
	       time->tv_sec >= 0;
}

/*
 * In turn: until nobody else can go on, or the plan says so; the clock then is where it should be.
 * EINTR, and what is left, where a signal handler has ended it. The caller has a unknown_wait_call.
 */
static int sleep_in_turn(uint64_t until, struct timespec *rest, uintptr_t pc)
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

/* As most of these functions say it. */
static int failed(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

SOOTH_API unsigned sleep(unsigned seconds)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	struct timespec rest = { 0 };
	unsigned left = 0;

	if (sched_on()) {
		failed(sleep_in_turn(virtual_time_now() + seconds * 1000000000ull, &rest,
				     RECORD_CALLER));
		left = (unsigned)rest.tv_sec;
	} else {
		sched_leave_in_handler(RECORD_CALLER);
		left = real()->sleep(seconds);
	}
	call.how = UNKNOWN_WAIT_NOTHING;
	return left;
}

SOOTH_API int usleep(useconds_t time)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int result = 0;

	if (sched_on()) {
		result = failed(
			sleep_in_turn(virtual_time_now() + time * 1000ull, NULL, RECORD_CALLER));
	} else {
		sched_leave_in_handler(RECORD_CALLER);
		result = real()->usleep(time);
	}
	call.how = UNKNOWN_WAIT_NOTHING;
	return result;
}

SOOTH_API int nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int result = 0;

	if (sched_on() && is_time(time)) {
		result = failed(sleep_in_turn(virtual_time_now() + virtual_time_length(time), rest,
					      RECORD_CALLER));
	} else {
		sched_leave_in_handler(RECORD_CALLER);
		result = real()->nanosleep(time, rest);
	}
	call.how = UNKNOWN_WAIT_NOTHING;
	if (result < 0 && errno == EINTR && rest)
		transfer_wrote(rest, sizeof(*rest), RECORD_CALLER);
	return result;
}

SOOTH_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			      struct timespec *rest)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int result = 0;

	if (sched_on() && is_time(time) && sync_object_clock_valid(clock)) {
		result = flags & TIMER_ABSTIME
				 ? sleep_in_turn(virtual_time_of(clock, time), NULL, RECORD_CALLER)
				 : sleep_in_turn(virtual_time_now() + virtual_time_length(time),
						 rest, RECORD_CALLER);
	} else {
		sched_leave_in_handler(RECORD_CALLER);
		result = real()->clock_nanosleep(clock, flags, time, rest);
	}
	call.how = UNKNOWN_WAIT_NOTHING;
	if (result == EINTR && rest && !(flags & TIMER_ABSTIME))
		transfer_wrote(rest, sizeof(*rest), RECORD_CALLER);
	return result;
}

SOOTH_API int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
	if (!sched_on() || !is_time(time))
		return real()->thrd_sleep(time, rest);
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int error =
		sleep_in_turn(virtual_time_now() + virtual_time_length(time), rest, RECORD_CALLER);
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
	if (sched_taking)
		sched_return();
	return result;
}

SOOTH_API void thrd_yield(void)
{
	sched_yield();
}

SOOTH_API void pthread_testcancel(void)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };

	if (sched_on())
		sched_yield_turn(RECORD_CALLER); /* who asks again and again waits for somebody */
	real()->pthread_testcancel();
	call.how = UNKNOWN_WAIT_NOTHING;
}
