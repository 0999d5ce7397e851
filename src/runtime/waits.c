/*
 * Calls in which a thread may wait, through the kernel, for what another does: for a byte in a
 * pipe, a connection, a signal, a child, a file lock. SYNC stands behind each that got what it
 * waited for. One that failed or timed out has learned nothing that others did before.
 *
 * Files that keep what is written to them make nobody wait, and what is read from them is looked at
 * as a value: there a SYNC would only take schedules away from the predictions.
 */
#include "runtime/object.h"
#include "runtime/real.h"
#include "runtime/sync.h"
#include "runtime/turn.h"
#include "runtime/vtime.h"

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

/* Files never make anybody wait; of others poll knows. */
static bool has_to_wait(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	int error = errno;
	int ready = real()->poll(&p, 1, 0);

	errno = error;
	return ready == 0;
}

static bool is_empty(int fd)
{
	return has_to_wait(fd, POLLIN);
}

static bool is_full(int fd)
{
	return has_to_wait(fd, POLLOUT);
}

static bool select_ready(int count, const fd_set *in, const fd_set *out, const fd_set *odd)
{
	fd_set a, b, c;
	struct timeval none = { 0 };
	int error = errno;

	if (in)
		a = *in;
	if (out)
		b = *out;
	if (odd)
		c = *odd;
	int ready = real()->select(count, in ? &a : NULL, out ? &b : NULL, odd ? &c : NULL, &none);
	errno = error;
	return ready != 0;
}

static bool is_long(const struct timespec *time)
{
	return !time || time->tv_sec || time->tv_nsec;
}

/*
 * An interposer that calls the real function; `waited` is one of the above, `may_wait` an
 * expression of the arguments. When the call is over `sync_end` takes the turn again.
 */
#define WAIT(type, name, parameters, arguments, waited, may_wait)                                  \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };               \
		if (turn_on() && (may_wait))                                                       \
			turn_leave(RECORD_CALLER);                                                 \
		type result = real()->name arguments;                                              \
		call.how = waited((long)result) ? SYNC_WAITED : SYNC_NOTHING;                      \
		return result;                                                                     \
	}

/* The same for what reads from a descriptor. */
#define WAIT_READ(name, parameters, arguments)                                                     \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };               \
		if (turn_on() && is_empty(fd))                                                     \
			turn_leave(RECORD_CALLER);                                                 \
		ssize_t result = real()->name arguments;                                           \
		if (result == 0 && fd == STDIN_FILENO)                                             \
			turn_input_ended();                                                        \
		call.how = result >= 0 && !is_stored(fd) ? SYNC_WAITED : SYNC_NOTHING;             \
		return result;                                                                     \
	}

static bool is_stored(int fd)
{
	int error = errno;
	struct stat st;
	bool stored = record_on() && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	errno = error;
	return stored;
}

/*
 * And for what writes to one. What is ready has room for PIPE_BUF bytes; whether there was room for
 * more is not known.
 */
#define WAIT_WRITE(name, parameters, arguments, bytes)                                             \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };               \
		bool full = record_on() && is_full(fd);                                            \
		if (turn_on() && full)                                                             \
			turn_leave(RECORD_CALLER);                                                 \
		full |= (bytes) > PIPE_BUF && !is_stored(fd);                                      \
		ssize_t result = real()->name arguments;                                           \
		call.how = result >= 0 && full ? SYNC_WAITED : SYNC_NOTHING;                       \
		return result;                                                                     \
	}

/* ---- pipes and sockets ---------------------------------------------------------------------- */

WAIT_READ(read, (int fd, void *to, size_t size), (fd, to, size))
WAIT_READ(readv, (int fd, const struct iovec *to, int count), (fd, to, count))
WAIT_READ(__read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room))
WAIT(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), not_failed,
     is_empty(fd))
WAIT(ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t room, int flags),
     (fd, to, size, room, flags), not_failed, is_empty(fd))
WAIT(ssize_t, recvfrom,
     (int fd, void *restrict to, size_t size, int flags, __SOCKADDR_ARG from,
      socklen_t *restrict length),
     (fd, to, size, flags, from, length), not_failed, is_empty(fd))
WAIT(ssize_t, __recvfrom_chk,
     (int fd, void *restrict to, size_t size, size_t room, int flags, __SOCKADDR_ARG from,
      socklen_t *restrict length),
     (fd, to, size, room, flags, from, length), not_failed, is_empty(fd))
WAIT(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
     not_failed, is_empty(fd))
WAIT(int, recvmmsg,
     (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *until),
     (fd, messages, count, flags, until), not_failed, is_empty(fd))
WAIT(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *restrict length), (fd, from, length),
     not_failed, is_empty(fd))
WAIT(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *restrict length, int flags),
     (fd, from, length, flags), not_failed, is_empty(fd))
WAIT(int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t length), (fd, to, length), succeeded,
     true)
WAIT(int, eventfd_read, (int fd, eventfd_t *value), (fd, value), succeeded, is_empty(fd))

WAIT(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout), got_some,
     timeout &&real()->poll(fds, count, 0) == 0)
WAIT(int, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t room),
     (fds, count, timeout, room), got_some, timeout &&real()->poll(fds, count, 0) == 0)
WAIT(int, ppoll,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (fds, count, timeout, mask), got_some, is_long(timeout) && real()->poll(fds, count, 0) == 0)
WAIT(int, __ppoll_chk,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
      size_t room),
     (fds, count, timeout, mask, room), got_some,
     is_long(timeout) && real()->poll(fds, count, 0) == 0)
WAIT(int, select,
     (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
      struct timeval *restrict timeout),
     (count, in, out, odd, timeout), got_some,
     !select_ready(count, in, out, odd) && !(timeout && !timeout->tv_sec && !timeout->tv_usec))
WAIT(int, pselect,
     (int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
      const struct timespec *restrict timeout, const sigset_t *restrict mask),
     (count, in, out, odd, timeout, mask), got_some,
     is_long(timeout) && !select_ready(count, in, out, odd))
WAIT(int, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout),
     (fd, events, count, timeout), got_some, timeout &&is_empty(fd))
WAIT(int, epoll_pwait,
     (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
     (fd, events, count, timeout, mask), got_some, timeout &&is_empty(fd))
WAIT(int, epoll_pwait2,
     (int fd, struct epoll_event *events, int count, const struct timespec *timeout,
      const sigset_t *mask),
     (fd, events, count, timeout, mask), got_some, is_long(timeout) && is_empty(fd))

/* ---- signals and children ------------------------------------------------------------------- */

WAIT(int, sigwait, (const sigset_t *restrict set, int *restrict number), (set, number), succeeded,
     true)
WAIT(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info),
     got_some, true)
WAIT(int, sigtimedwait,
     (const sigset_t *restrict set, siginfo_t *restrict info,
      const struct timespec *restrict timeout),
     (set, info, timeout), got_some, is_long(timeout))
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
     (queue, to, size, priority), not_failed, is_empty(queue))
WAIT(ssize_t, mq_timedreceive,
     (mqd_t queue, char *restrict to, size_t size, unsigned *restrict priority,
      const struct timespec *restrict until),
     (queue, to, size, priority, until), not_failed, is_empty(queue))
WAIT(ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags),
     (queue, to, size, type, flags), not_failed, !(flags & IPC_NOWAIT))
WAIT(int, semop, (int set, struct sembuf *operations, size_t count), (set, operations, count),
     succeeded, true)
WAIT(int, semtimedop,
     (int set, struct sembuf *operations, size_t count, const struct timespec *timeout),
     (set, operations, count, timeout), succeeded, is_long(timeout))
WAIT(int, flock, (int fd, int operation), (fd, operation), succeeded,
     !(operation & (LOCK_NB | LOCK_UN)))
WAIT(int, lockf, (int fd, int command, off_t length), (fd, command, length), succeeded,
     command == F_LOCK)
WAIT(int, lockf64, (int fd, int command, off64_t length), (fd, command, length), succeeded,
     command == F_LOCK)

/* Whatever a command's argument is, the library passes it on as a pointer. */
static int control(__typeof__(fcntl) *real_fcntl, int fd, int command, void *argument, uintptr_t pc)
{
	bool locks = command == F_SETLKW || command == F_OFD_SETLKW;
	struct sync_call call SYNC_CALL = { pc, SYNC_CANCELLED };
	if (locks && turn_on())
		turn_leave(pc);
	int result = real_fcntl(fd, command, argument);

	call.how = locks && result == 0 ? SYNC_WAITED : SYNC_NOTHING;
	return result;
}

SOOTH_API int fcntl(int fd, int command, ...)
{
	va_list more;

	va_start(more, command);
	void *argument = va_arg(more, void *);
	va_end(more);
	return control(real()->fcntl, fd, command, argument, RECORD_CALLER);
}

SOOTH_API int fcntl64(int fd, int command, ...)
{
	va_list more;

	va_start(more, command);
	void *argument = va_arg(more, void *);
	va_end(more);
	return control(real()->fcntl64, fd, command, argument, RECORD_CALLER);
}

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

/*
 * `syscall`, which has no wrapper in the library but this. Declared with all the arguments it can
 * have: the calling convention is the same, and the seventh is left where it lies. A futex that did
 * not have the value it was said to have was changed by somebody, as one that was woken.
 */
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e,
			    long f) __asm__("syscall");
SOOTH_API long sync_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (!waits(number, b))
		return real()->syscall(number, a, b, c, d, e, f);
	if (turn_on() && (number != SYS_futex || *(volatile int *)a == (int)c))
		turn_leave(RECORD_CALLER);
	long result = real()->syscall(number, a, b, c, d, e, f);
	struct sync_call call = { RECORD_CALLER, SYNC_WAITED };
	if (turn_taking)
		turn_return();
	if (result >= 0 || errno == EAGAIN)
		sync_end(&call);
	return result;
}

/* ---- writing: waits where there is no room until somebody has read ---------------------------- */

WAIT_WRITE(write, (int fd, const void *from, size_t size), (fd, from, size), size)
WAIT_WRITE(send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), size)
WAIT_WRITE(sendto,
	   (int fd, const void *from, size_t size, int flags, __CONST_SOCKADDR_ARG to,
	    socklen_t length),
	   (fd, from, size, flags, to, length), size)
WAIT_WRITE(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
	   SIZE_MAX)

/* ---- sleeping and yielding -------------------------------------------------------------------- */

/*
 * In turn: until nobody else can go on, or the plan says so; the clock then is where it should be.
 * The caller has a sync_call.
 */
static void sleep_in_turn(uint64_t until, uintptr_t pc)
{
	turn_sleep(until, pc);
	real()->pthread_testcancel();
}

SOOTH_API unsigned sleep(unsigned seconds)
{
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	unsigned left = 0;

	if (turn_on())
		sleep_in_turn(vtime_now() + seconds * 1000000000ull, RECORD_CALLER);
	else
		left = real()->sleep(seconds);
	call.how = SYNC_NOTHING;
	return left;
}

SOOTH_API int usleep(useconds_t time)
{
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	int result = 0;

	if (turn_on())
		sleep_in_turn(vtime_now() + time * 1000ull, RECORD_CALLER);
	else
		result = real()->usleep(time);
	call.how = SYNC_NOTHING;
	return result;
}

SOOTH_API int nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	int result = 0;

	if (turn_on() && object_time_valid(time) && time->tv_sec >= 0)
		sleep_in_turn(vtime_now() + vtime_length(time), RECORD_CALLER);
	else
		result = real()->nanosleep(time, rest);
	call.how = SYNC_NOTHING;
	return result;
}

SOOTH_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			      struct timespec *rest)
{
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	int result = 0;

	if (turn_on() && object_time_valid(time) && time->tv_sec >= 0 && object_clock_valid(clock))
		sleep_in_turn(flags & TIMER_ABSTIME ? vtime_of(clock, time)
						    : vtime_now() + vtime_length(time),
			      RECORD_CALLER);
	else
		result = real()->clock_nanosleep(clock, flags, time, rest);
	call.how = SYNC_NOTHING;
	return result;
}

SOOTH_API int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
	if (!turn_on() || !object_time_valid(time) || time->tv_sec < 0)
		return real()->thrd_sleep(time, rest);
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
	sleep_in_turn(vtime_now() + vtime_length(time), RECORD_CALLER);
	call.how = SYNC_NOTHING;
	return 0;
}

SOOTH_API int sched_yield(void)
{
	if (!turn_on())
		return real()->sched_yield();
	turn_yield(RECORD_CALLER);
	return 0;
}

SOOTH_API void thrd_yield(void)
{
	sched_yield();
}

SOOTH_API void pthread_testcancel(void)
{
	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };

	if (turn_on())
		turn_yield(RECORD_CALLER); /* who asks again and again waits for somebody */
	real()->pthread_testcancel();
	call.how = SYNC_NOTHING;
}
