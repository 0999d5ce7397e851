/*
 * Calls that create and close descriptors. Pipes, pairs of sockets and eventfds are channels
 * (channel.h) as long as both ends are in this process and all calls that use them are interposed.
 */
#include "runtime/io/descriptor.h"
#include "runtime/io/readiness.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * A path below /proc or /dev may name a descriptor of this process, for example one end of a pipe.
 * If such a path is opened, the runtime no longer knows all uses of the channel.
 */
static void record_opened_file(int fd, const char *path, uintptr_t pc)
{
	struct stat st;
	int error = errno;

	if (fd < 0)
		return;
	if ((!strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/", 5)) && fstat(fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		channel_lose_all();
	descriptor_opened(fd, DESCRIPTOR_PLAIN, pc);
	errno = error;
}

/* The body of an interposer that opens `path` by calling the real function with these arguments. */
#define OPEN_AND_RETURN(name, path, changes, ...)                                                  \
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                                   \
	if (changes)                                                                               \
		kernel_state_name_changes(path, RECORD_CALLER);                                    \
	int fd = real()->name(__VA_ARGS__);                                                        \
	call.how = UNKNOWN_WAIT_NOTHING;                                                           \
	kernel_state_name_seen(path, RECORD_CALLER);                                               \
	record_opened_file(fd, path, RECORD_CALLER);                                               \
	return fd;

#define OPEN(name, parameters, path, changes)                                                      \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		OPEN_AND_RETURN(name, path, changes, ARGUMENTS parameters)                         \
	}

/* There is a mode argument only if the flags allow the call to create a file. */
#define OPEN_MODE(name, parameters, path, flags)                                                   \
	SOOTH_API int name(PARAMETERS parameters, ...)                                             \
	{                                                                                          \
		va_list more;                                                                      \
		va_start(more, flags);                                                             \
		mode_t mode = (flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE                  \
				      ? va_arg(more, mode_t)                                       \
				      : 0;                                                         \
		va_end(more);                                                                      \
		OPEN_AND_RETURN(name, path, (flags) & (O_CREAT | O_TRUNC), ARGUMENTS parameters,   \
				mode)                                                              \
	}

OPEN_MODE(open, (const char *, path, int, flags), path, flags)
OPEN_MODE(open64, (const char *, path, int, flags), path, flags)
OPEN_MODE(openat, (int, at, const char *, path, int, flags), path, flags)
OPEN_MODE(openat64, (int, at, const char *, path, int, flags), path, flags)
OPEN(__open_2, (const char *, path, int, flags), path, flags &O_TRUNC)
OPEN(__open64_2, (const char *, path, int, flags), path, flags &O_TRUNC)
OPEN(__openat_2, (int, at, const char *, path, int, flags), path, flags &O_TRUNC)
OPEN(__openat64_2, (int, at, const char *, path, int, flags), path, flags &O_TRUNC)
OPEN(creat, (const char *, path, mode_t, mode), path, true)
OPEN(creat64, (const char *, path, mode_t, mode), path, true)

/* An interposer of another function that creates a descriptor and never waits. */
#define CREATE(name, parameters)                                                                   \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		int fd = real()->name(ARGUMENTS parameters);                                       \
		if (fd >= 0)                                                                       \
			descriptor_opened(fd, DESCRIPTOR_PLAIN, RECORD_CALLER);                    \
		return fd;                                                                         \
	}

CREATE(mkstemp, (char *, path))
CREATE(mkstemp64, (char *, path))
CREATE(mkostemp, (char *, path, int, flags))
CREATE(mkostemp64, (char *, path, int, flags))
CREATE(mkstemps, (char *, path, int, length))
CREATE(mkstemps64, (char *, path, int, length))
CREATE(mkostemps, (char *, path, int, length, int, flags))
CREATE(mkostemps64, (char *, path, int, length, int, flags))
CREATE(memfd_create, (const char *, name, unsigned, flags))
CREATE(shm_open, (const char *, name, int, flags, mode_t, mode))
CREATE(socket, (int, domain, int, type, int, protocol))
CREATE(timerfd_create, (clockid_t, clock, int, flags))
CREATE(epoll_create, (int, size))
CREATE(epoll_create1, (int, flags))
CREATE(inotify_init, ())
CREATE(inotify_init1, (int, flags))

SOOTH_API int signalfd(int fd, const sigset_t *set, int flags)
{
	int result = real()->signalfd(fd, set, flags);

	if (result >= 0 && fd < 0) /* otherwise the result is `fd`, which existed before */
		descriptor_opened(result, DESCRIPTOR_PLAIN, RECORD_CALLER);
	return result;
}

/* ---- channels -------------------------------------------------------------------------------- */

/*
 * Capacities. The kernel puts what is written to a pipe into pages, at least every second of which
 * is more than half full; the size of a pipe can be changed. A message in a socket takes some
 * hundred bytes more than its size, and only some datagrams can wait in a socket
 * (net.unix.max_dgram_qlen, at least 10).
 */
#define SOCKET_BYTES 65536u
#define SOCKET_EACH 1024u
#define DATAGRAM_EACH (SOCKET_BYTES / 8u)

static struct channel_capacity pipe_capacity(int fd, int flags)
{
	int size = flags & O_DIRECT ? 0 : real()->fcntl(fd, F_GETPIPE_SZ);

	return (struct channel_capacity){ size < 0 ? 0 : (uint64_t)size / 4, 0 };
}

static struct channel_capacity socket_capacity(int type)
{
	bool stream = (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM;

	return (struct channel_capacity){ SOCKET_BYTES, stream ? SOCKET_EACH : DATAGRAM_EACH };
}

/*
 * Records the two descriptors of a pipe or a pair of sockets. The `out` channel of each is the `in`
 * channel of the other. A pipe has one channel only (`both` is false). Returns 0, the result of the
 * call.
 */
static int record_pair(const int *fds, bool both, struct channel_capacity capacity, uintptr_t pc)
{
	int error = errno;
	uint32_t forth = channel_make(0, capacity);
	uint32_t back = both ? channel_make(0, capacity) : CHANNEL_NONE;
	transfer_wrote(fds, 2 * sizeof(*fds), pc);
	descriptor_opened(fds[0], (struct descriptor_ends){ back, forth }, pc);
	descriptor_opened(fds[1], (struct descriptor_ends){ forth, back }, pc);
	errno = error;
	return 0;
}

SOOTH_API int pipe(int fds[2])
{
	int result = real()->pipe(fds);

	return result ? result : record_pair(fds, false, pipe_capacity(fds[0], 0), RECORD_CALLER);
}

SOOTH_API int pipe2(int fds[2], int flags)
{
	int result = real()->pipe2(fds, flags);

	return result ? result
		      : record_pair(fds, false, pipe_capacity(fds[0], flags), RECORD_CALLER);
}

SOOTH_API int socketpair(int domain, int type, int protocol, int fds[2])
{
	int result = real()->socketpair(domain, type, protocol, fds);

	return result ? result : record_pair(fds, true, socket_capacity(type), RECORD_CALLER);
}

SOOTH_API int eventfd(unsigned count, int flags)
{
	int fd = real()->eventfd(count, flags);

	if (fd >= 0) {
		uint32_t channel = channel_make(count, CHANNEL_ENDLESS);
		descriptor_opened(fd, (struct descriptor_ends){ channel, channel }, RECORD_CALLER);
	}
	return fd;
}

SOOTH_API int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_SNDBUFFORCE ||
				    name == SO_RCVBUF || name == SO_RCVBUFFORCE))
		descriptor_resized(fd);
	return real()->setsockopt(fd, level, name, value, size);
}

/* Readers at the other end may notice a shutdown, and so may threads that wait at this end. */
SOOTH_API int shutdown(int fd, int how)
{
	struct descriptor_ends ends = descriptor_ends(fd);

	descriptor_use(fd, RECORD_CALLER);
	if (how != SHUT_RD)
		channel_send(ends.out, 0, RECORD_CALLER);
	if (how != SHUT_WR)
		channel_send(ends.in, 0, RECORD_CALLER);
	int result = real()->shutdown(fd, how);
	if (how != SHUT_RD)
		channel_sent(ends.out, 0);
	if (how != SHUT_WR)
		channel_sent(ends.in, 0);
	return result;
}

/* ---- connections: the peer is not known ------------------------------------------------------ */

#define ACCEPT(name, parameters, fd)                                                               \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		if (sched_on() && transfer_is_empty(fd))                                           \
			sched_leave(RECORD_CALLER);                                                \
		int result = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_active)                                                                  \
			sched_return();                                                            \
		if (result < 0)                                                                    \
			return result;                                                             \
		unknown_wait_end(                                                                  \
			&(struct unknown_wait_call){ RECORD_CALLER, UNKNOWN_WAIT_WAITED });        \
		descriptor_opened(result, DESCRIPTOR_PLAIN, RECORD_CALLER);                        \
		return result;                                                                     \
	}

ACCEPT(accept, (int, fd, __SOCKADDR_ARG, from, socklen_t *, length), fd)
ACCEPT(accept4, (int, fd, __SOCKADDR_ARG, from, socklen_t *, length, int, flags), fd)

SOOTH_API int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t length)
{
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);

	descriptor_use(fd, RECORD_CALLER);
	if (sched_on())
		sched_leave(RECORD_CALLER);
	int result = real()->connect(fd, to, length);
	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/*
 * Records a copy of a descriptor. If the copy is a standard descriptor, its channels are lost: the
 * C library writes to standard descriptors without calling an interposer.
 */
static void record_copy(int from, int to, uintptr_t pc)
{
	if (to <= STDERR_FILENO)
		descriptor_lose(from);
	descriptor_opened(to, descriptor_ends(from), pc);
}

SOOTH_API int dup(int fd)
{
	descriptor_use(fd, RECORD_CALLER);
	int copy = real()->dup(fd);

	if (copy >= 0)
		record_copy(fd, copy, RECORD_CALLER);
	return copy;
}

/* An interposer that copies `fd` to `other`. If `other` is open, the call closes it atomically. */
#define COPY_TO(name, parameters, fd, other)                                                       \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		struct descriptor_ends ends =                                                      \
			fd != other ? descriptor_leaving(other, RECORD_CALLER) : DESCRIPTOR_PLAIN; \
		int result = real()->name(ARGUMENTS parameters);                                   \
		descriptor_left(ends, result >= 0, RECORD_CALLER);                                 \
		if (result >= 0 && fd != other)                                                    \
			record_copy(fd, other, RECORD_CALLER);                                     \
		return result;                                                                     \
	}

COPY_TO(dup2, (int, fd, int, other), fd, other)
COPY_TO(dup3, (int, fd, int, other, int, flags), fd, other) /* fails if fd == other */

/*
 * Interposes fcntl. The argument of a command may have any type; the C library passes it on as a
 * pointer, too.
 */
static int control_descriptor(__typeof__(fcntl) *real_fcntl, int fd, int command, void *argument,
			      uintptr_t pc)
{
	bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
	bool locks = waits || command == F_SETLK || command == F_OFD_SETLK || command == F_GETLK ||
		     command == F_OFD_GETLK;
	if (locks)
		unknown_wait_hand_over(pc); /* it may unlock */
	UNKNOWN_WAIT_BEGIN(call, pc);

	if (command != F_GETFD) /* programs call F_GETFD to find out whether fd is open */
		descriptor_use(fd, pc);
	if (waits && sched_on())
		sched_leave(pc);
	int result = real_fcntl(fd, command, argument);
	call.how = locks && result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	if (command == F_SETPIPE_SZ)
		descriptor_resized(fd);
	if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		record_copy(fd, result, pc);
	return result;
}

INTERPOSER_VARIADIC(fcntl, (int, fd, int, command), command, values,
		    control_descriptor(real()->fcntl, fd, command, va_arg(values, void *),
				       RECORD_CALLER))
INTERPOSER_VARIADIC(fcntl64, (int, fd, int, command), command, values,
		    control_descriptor(real()->fcntl64, fd, command, va_arg(values, void *),
				       RECORD_CALLER))

/* ---- closing --------------------------------------------------------------------------------- */

SOOTH_API int close(int fd)
{
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);

	readiness_forget(fd);
	struct descriptor_ends ends = descriptor_closing(fd, RECORD_CALLER);
	int result = real()->close(fd);
	call.how = UNKNOWN_WAIT_NOTHING;
	descriptor_left(ends, true, RECORD_CALLER);
	if (result < 0)
		descriptor_check_failed(fd, true, RECORD_CALLER);
	return result;
}

SOOTH_API int close_range(unsigned low, unsigned high, int flags)
{
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		descriptor_closing_range(low, high, RECORD_CALLER);
	return real()->close_range(low, high, flags);
}

SOOTH_API void closefrom(int low)
{
	descriptor_closing_range(low < 0 ? 0 : (unsigned)low, UINT32_MAX, RECORD_CALLER);
	real()->closefrom(low);
}

/* ---- uses of descriptors that are not seen --------------------------------------------------- */

/*
 * An interposer that evaluates `lose` first: it loses the channels that uninterposed code may use
 * from then on.
 */
#define LOSE(type, name, parameters, lose)                                                         \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		lose;                                                                              \
		return real()->name(ARGUMENTS parameters);                                         \
	}

/* After these calls, the C library uses the descriptor. */
LOSE(FILE *, fdopen, (int, fd, const char *, mode), descriptor_lose(fd))
LOSE(int, vdprintf, (int, fd, const char *, format, va_list, values), descriptor_lose(fd))
LOSE(int, __vdprintf_chk, (int, fd, int, level, const char *, format, va_list, values),
     descriptor_lose(fd))
INTERPOSER_VARIADIC(dprintf, (int, fd, const char *, format), format, values,
		    (descriptor_lose(fd), real()->vdprintf(fd, format, values)))
INTERPOSER_VARIADIC(__dprintf_chk, (int, fd, int, level, const char *, format), format, values,
		    (descriptor_lose(fd), real()->__vdprintf_chk(fd, level, format, values)))

/* After these calls, the new process has all descriptors of this one. */
LOSE(int, posix_spawn,
     (pid_t *, child, const char *, path, const posix_spawn_file_actions_t *, actions,
      const posix_spawnattr_t *, attributes, char *const *, arguments, char *const *, environment),
     channel_lose_all())
LOSE(int, posix_spawnp,
     (pid_t *, child, const char *, file, const posix_spawn_file_actions_t *, actions,
      const posix_spawnattr_t *, attributes, char *const *, arguments, char *const *, environment),
     channel_lose_all())
LOSE(FILE *, popen, (const char *, command, const char *, mode), channel_lose_all())

SOOTH_API int system(const char *command)
{
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);

	channel_lose_all();
	if (sched_on() && command)
		sched_leave(RECORD_CALLER);
	int result = real()->system(command);
	call.how = command ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}
