/*
 * Calls that make descriptors and close them. Pipes, pairs of sockets and eventfds are channels
 * (channel.h) as long as both their ends are here and everybody is seen who uses them.
 */
#include "runtime/io/descriptor.h"
#include "runtime/io/readiness.h"
#include "runtime/host/libc_next.h"
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

/* ---- files ---------------------------------------------------------------------------------------- */

/*
 * A name below these can be that of a descriptor of ours, a pipe's end opened once more: then nothing
 * is known of who uses it.
 */
static void opened_by_name(int fd, const char *path, uintptr_t pc)
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

#define OPEN(name, parameters, arguments)                                                          \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		int fd = real()->name arguments;                                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		opened_by_name(fd, path, RECORD_CALLER);                                           \
		return fd;                                                                         \
	}

/* The mode is there when a file may be made; else whatever lies there is passed on and not looked at. */
#define OPEN_MODE(name, parameters, arguments)                                                     \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		va_list more;                                                                      \
		va_start(more, flags);                                                             \
		mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE                  \
				      ? va_arg(more, mode_t)                                       \
				      : 0;                                                         \
		va_end(more);                                                                      \
		int fd = real()->name arguments;                                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		opened_by_name(fd, path, RECORD_CALLER);                                           \
		return fd;                                                                         \
	}

OPEN_MODE(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN_MODE(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN_MODE(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN_MODE(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN(__open_2, (const char *path, int flags), (path, flags))
OPEN(__open64_2, (const char *path, int flags), (path, flags))
OPEN(__openat_2, (int at, const char *path, int flags), (at, path, flags))
OPEN(__openat64_2, (int at, const char *path, int flags), (at, path, flags))
OPEN(creat, (const char *path, mode_t mode), (path, mode))
OPEN(creat64, (const char *path, mode_t mode), (path, mode))

/* What else makes one, and never waits. */
#define MAKE(name, parameters, arguments)                                                          \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		int fd = real()->name arguments;                                                   \
		if (fd >= 0)                                                                       \
			descriptor_opened(fd, DESCRIPTOR_PLAIN, RECORD_CALLER);                    \
		return fd;                                                                         \
	}

MAKE(mkstemp, (char *path), (path))
MAKE(mkstemp64, (char *path), (path))
MAKE(mkostemp, (char *path, int flags), (path, flags))
MAKE(mkostemp64, (char *path, int flags), (path, flags))
MAKE(mkstemps, (char *path, int length), (path, length))
MAKE(mkstemps64, (char *path, int length), (path, length))
MAKE(mkostemps, (char *path, int length, int flags), (path, length, flags))
MAKE(mkostemps64, (char *path, int length, int flags), (path, length, flags))
MAKE(memfd_create, (const char *name, unsigned flags), (name, flags))
MAKE(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
MAKE(socket, (int domain, int type, int protocol), (domain, type, protocol))
MAKE(timerfd_create, (clockid_t clock, int flags), (clock, flags))
MAKE(epoll_create, (int size), (size))
MAKE(epoll_create1, (int flags), (flags))
MAKE(inotify_init, (void), ())
MAKE(inotify_init1, (int flags), (flags))

SOOTH_API int signalfd(int fd, const sigset_t *set, int flags)
{
	int result = real()->signalfd(fd, set, flags);

	if (result >= 0 && fd < 0) /* otherwise it is the one that was given */
		descriptor_opened(result, DESCRIPTOR_PLAIN, RECORD_CALLER);
	return result;
}

/* ---- channels --------------------------------------------------------------------------------------- */

/* Each side's `out` is the other's `in`; a pipe goes one way. */
static void opened_pair(const int *fds, bool both, uintptr_t pc)
{
	int error = errno;
	uint32_t forth = channel_make(0), back = both ? channel_make(0) : CHANNEL_NONE;

	transfer_wrote(fds, 2 * sizeof(*fds), pc);
	descriptor_opened(fds[0], (struct descriptor_ends){ back, forth }, pc);
	descriptor_opened(fds[1], (struct descriptor_ends){ forth, back }, pc);
	errno = error;
}

SOOTH_API int pipe(int fds[2])
{
	int result = real()->pipe(fds);

	if (result == 0)
		opened_pair(fds, false, RECORD_CALLER);
	return result;
}

SOOTH_API int pipe2(int fds[2], int flags)
{
	int result = real()->pipe2(fds, flags);

	if (result == 0)
		opened_pair(fds, false, RECORD_CALLER);
	return result;
}

SOOTH_API int socketpair(int domain, int type, int protocol, int fds[2])
{
	int result = real()->socketpair(domain, type, protocol, fds);

	if (result == 0)
		opened_pair(fds, true, RECORD_CALLER);
	return result;
}

SOOTH_API int eventfd(unsigned count, int flags)
{
	int fd = real()->eventfd(count, flags);

	if (fd >= 0) {
		uint32_t channel = channel_make(count);
		descriptor_opened(fd, (struct descriptor_ends){ channel, channel }, RECORD_CALLER);
	}
	return fd;
}

/* Both sides may learn of it: who reads at the other end, and who waits for this one. */
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

/* ---- connections: who called is not known ------------------------------------------------------------ */

#define ACCEPT(name, parameters, arguments)                                                        \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		if (sched_on() && transfer_is_empty(fd))                                           \
			sched_leave(RECORD_CALLER);                                                \
		int result = real()->name arguments;                                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (sched_taking)                                                                  \
			sched_return();                                                            \
		if (result < 0)                                                                    \
			return result;                                                             \
		unknown_wait_end(                                                                  \
			&(struct unknown_wait_call){ RECORD_CALLER, UNKNOWN_WAIT_WAITED });        \
		descriptor_opened(result, DESCRIPTOR_PLAIN, RECORD_CALLER);                        \
		return result;                                                                     \
	}

ACCEPT(accept, (int fd, __SOCKADDR_ARG from, socklen_t *restrict length), (fd, from, length))
ACCEPT(accept4, (int fd, __SOCKADDR_ARG from, socklen_t *restrict length, int flags),
       (fd, from, length, flags))

SOOTH_API int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t length)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };

	descriptor_use(fd, RECORD_CALLER);
	if (sched_on())
		sched_leave(RECORD_CALLER);
	int result = real()->connect(fd, to, length);
	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

/* Standard output is the C library's, too: it writes there without a word. */
static void copied(int from, int to, uintptr_t pc)
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
		copied(fd, copy, RECORD_CALLER);
	return copy;
}

/* The other is closed by it, if it is open, at no moment between. */
SOOTH_API int dup2(int fd, int other)
{
	descriptor_use(fd, RECORD_CALLER);
	struct descriptor_ends ends =
		fd != other ? descriptor_leaving(other, RECORD_CALLER) : DESCRIPTOR_PLAIN;
	int result = real()->dup2(fd, other);

	descriptor_left(ends, result >= 0, RECORD_CALLER);
	if (result >= 0 && fd != other)
		copied(fd, other, RECORD_CALLER);
	return result;
}

SOOTH_API int dup3(int fd, int other, int flags)
{
	descriptor_use(fd, RECORD_CALLER);
	struct descriptor_ends ends =
		fd != other ? descriptor_leaving(other, RECORD_CALLER) : DESCRIPTOR_PLAIN;
	int result = real()->dup3(fd, other, flags);

	descriptor_left(ends, result >= 0, RECORD_CALLER);
	if (result >= 0)
		copied(fd, other, RECORD_CALLER);
	return result;
}

/* Whatever a command's argument is, the library passes it on as a pointer. */
static int control(__typeof__(fcntl) *real_fcntl, int fd, int command, void *argument, uintptr_t pc)
{
	bool locks = command == F_SETLKW || command == F_OFD_SETLKW;
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };

	if (command != F_GETFD) /* which asks whether it is open at all */
		descriptor_use(fd, pc);
	if (locks && sched_on())
		sched_leave(pc);
	int result = real_fcntl(fd, command, argument);
	call.how = locks && result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		copied(fd, result, pc);
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

/* ---- the end ------------------------------------------------------------------------------------------ */

SOOTH_API int close(int fd)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };

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

/* ---- hands that are not seen ---------------------------------------------------------------------------- */

/* From here on it is a file of the C library's. */
SOOTH_API FILE *fdopen(int fd, const char *mode)
{
	descriptor_lose(fd);
	return real()->fdopen(fd, mode);
}

SOOTH_API int vdprintf(int fd, const char *restrict format, va_list values)
{
	descriptor_lose(fd);
	return real()->vdprintf(fd, format, values);
}

SOOTH_API int dprintf(int fd, const char *restrict format, ...)
{
	va_list values;

	descriptor_lose(fd);
	va_start(values, format);
	int result = real()->vdprintf(fd, format, values);
	va_end(values);
	return result;
}

SOOTH_API int __vdprintf_chk(int fd, int level, const char *restrict format, va_list values)
{
	descriptor_lose(fd);
	return real()->__vdprintf_chk(fd, level, format, values);
}

SOOTH_API int __dprintf_chk(int fd, int level, const char *restrict format, ...)
{
	va_list values;

	descriptor_lose(fd);
	va_start(values, format);
	int result = real()->__vdprintf_chk(fd, level, format, values);
	va_end(values);
	return result;
}

/* Another process has what this one has. */
SOOTH_API int posix_spawn(pid_t *restrict child, const char *restrict path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *restrict attributes, char *const arguments[],
			  char *const environment[])
{
	channel_lose_all();
	return real()->posix_spawn(child, path, actions, attributes, arguments, environment);
}

SOOTH_API int posix_spawnp(pid_t *restrict child, const char *restrict file,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *restrict attributes, char *const arguments[],
			   char *const environment[])
{
	channel_lose_all();
	return real()->posix_spawnp(child, file, actions, attributes, arguments, environment);
}

SOOTH_API FILE *popen(const char *command, const char *mode)
{
	channel_lose_all();
	return real()->popen(command, mode);
}

SOOTH_API int system(const char *command)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };

	channel_lose_all();
	if (sched_on() && command)
		sched_leave(RECORD_CALLER);
	int result = real()->system(command);
	call.how = command ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}
