/*
 * Functions of the C library that put what they have to say into the caller's memory: times, texts, what
 * the system tells of a file. What they wrote is the calling thread's WRITE without a value
 * (transfer.h), when instrumented code calls. Some more are where else they belong (virtual_time.c, random.c,
 * open_close.c, read_write.c, stdio.c, printf_scanf.c).
 */
#define __NO_INLINE__ 1 /* the C library's headers have bodies for some of these */
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* An interposer; `got` says of the result that something was written, `at` and `size` where it is. */
#define ANSWER(type, name, parameters, arguments, got, at, size)                                   \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		type result = real()->name arguments;                                              \
		if (got)                                                                           \
			transfer_wrote(at, size, RECORD_CALLER);                                   \
		return result;                                                                     \
	}

/* 0 means that it succeeded. */
#define ANSWER_0(name, parameters, arguments, at)                                                  \
	ANSWER(int, name, parameters, arguments, result == 0, at, sizeof(*(at)))

/* ---- times ------------------------------------------------------------------------------------ */

ANSWER_0(clock_getres, (clockid_t clock, struct timespec *to), (clock, to), to)
ANSWER(struct tm *, localtime_r, (const time_t *restrict time, struct tm *restrict to), (time, to),
       result, to, sizeof(*to))
ANSWER(struct tm *, gmtime_r, (const time_t *restrict time, struct tm *restrict to), (time, to),
       result, to, sizeof(*to))
ANSWER(char *, asctime_r, (const struct tm *restrict time, char *restrict to), (time, to), result,
       to, strlen(to) + 1)
ANSWER(char *, ctime_r, (const time_t *restrict time, char *restrict to), (time, to), result, to,
       strlen(to) + 1)
ANSWER(size_t, strftime,
       (char *restrict to, size_t room, const char *restrict format,
	const struct tm *restrict time),
       (to, room, format, time), result, to, result + 1)
ANSWER(time_t, mktime, (struct tm * time), (time), result != -1, time, sizeof(*time))
ANSWER(time_t, timegm, (struct tm * time), (time), result != -1, time, sizeof(*time))

/* ---- files ------------------------------------------------------------------------------------ */

ANSWER_0(stat, (const char *restrict path, struct stat *restrict to), (path, to), to)
ANSWER_0(lstat, (const char *restrict path, struct stat *restrict to), (path, to), to)
ANSWER_0(fstat, (int fd, struct stat *to), (fd, to), to)
ANSWER_0(fstatat, (int at, const char *restrict path, struct stat *restrict to, int flags),
	 (at, path, to, flags), to)
ANSWER_0(stat64, (const char *restrict path, struct stat64 *restrict to), (path, to), to)
ANSWER_0(lstat64, (const char *restrict path, struct stat64 *restrict to), (path, to), to)
ANSWER_0(fstat64, (int fd, struct stat64 *to), (fd, to), to)
ANSWER_0(fstatat64, (int at, const char *restrict path, struct stat64 *restrict to, int flags),
	 (at, path, to, flags), to)
ANSWER_0(statx,
	 (int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict to),
	 (at, path, flags, mask, to), to)
/* What older headers made of stat. */
ANSWER_0(__xstat, (int version, const char *path, struct stat *to), (version, path, to), to)
ANSWER_0(__lxstat, (int version, const char *path, struct stat *to), (version, path, to), to)
ANSWER_0(__fxstat, (int version, int fd, struct stat *to), (version, fd, to), to)

ANSWER(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t room),
       (path, to, room), result > 0, to, (size_t)result)
ANSWER(ssize_t, __readlink_chk,
       (const char *restrict path, char *restrict to, size_t room, size_t most),
       (path, to, room, most), result > 0, to, (size_t)result)
ANSWER(ssize_t, readlinkat, (int at, const char *restrict path, char *restrict to, size_t room),
       (at, path, to, room), result > 0, to, (size_t)result)
ANSWER(ssize_t, __readlinkat_chk,
       (int at, const char *restrict path, char *restrict to, size_t room, size_t most),
       (at, path, to, room, most), result > 0, to, (size_t)result)
ANSWER(char *, getcwd, (char *to, size_t room), (to, room), result &&to, to, strlen(to) + 1)
ANSWER(char *, __getcwd_chk, (char *to, size_t room, size_t most), (to, room, most), result &&to,
       to, strlen(to) + 1)
/* The newest version: the older one wants to be given the room. */
ANSWER(char *, realpath, (const char *restrict path, char *restrict to), (path, to), result &&to,
       to, strlen(to) + 1)
ANSWER(char *, __realpath_chk, (const char *restrict path, char *restrict to, size_t most),
       (path, to, most), result &&to, to, strlen(to) + 1)

/* ---- the system ------------------------------------------------------------------------------- */

ANSWER_0(uname, (struct utsname * to), (to), to)
ANSWER_0(sysinfo, (struct sysinfo * to), (to), to)
ANSWER_0(getrusage, (__rusage_who_t who, struct rusage *to), (who, to), to)
ANSWER_0(getrlimit, (__rlimit_resource_t which, struct rlimit *to), (which, to), to)
ANSWER_0(getrlimit64, (__rlimit_resource_t which, struct rlimit64 *to), (which, to), to)
ANSWER(int, gethostname, (char *to, size_t room), (to, room), result == 0, to,
       strnlen(to, room - 1) + 1)
ANSWER(int, __gethostname_chk, (char *to, size_t room, size_t most), (to, room, most), result == 0,
       to, strnlen(to, room - 1) + 1)
ANSWER(char *, strerror_r, (int error, char *to, size_t room), (error, to, room),
       result == to && room, to, strnlen(to, room - 1) + 1)
ANSWER(int, __xpg_strerror_r, (int error, char *to, size_t room), (error, to, room),
       result == 0 && room, to, strnlen(to, room - 1) + 1)
ANSWER_0(sem_getvalue, (sem_t * semaphore, int *to), (semaphore, to), to)

/* ---- sockets ---------------------------------------------------------------------------------- */

/* How much was written is told, too, and may be more than there was room for. */
#define ANSWER_LENGTH(name, parameters, arguments, to)                                             \
	SOOTH_API int name parameters                                                              \
	{                                                                                          \
		socklen_t room = 0;                                                                \
		safe_read(&room, length, sizeof(room));                                            \
		int result = real()->name arguments;                                               \
		if (result == 0 && length) {                                                       \
			transfer_wrote(to, *length < room ? *length : room, RECORD_CALLER);        \
			transfer_wrote(length, sizeof(*length), RECORD_CALLER);                    \
		}                                                                                  \
		return result;                                                                     \
	}

ANSWER_LENGTH(getsockopt,
	      (int fd, int level, int name, void *restrict value, socklen_t *restrict length),
	      (fd, level, name, value, length), value)
ANSWER_LENGTH(getsockname, (int fd, __SOCKADDR_ARG address, socklen_t *restrict length),
	      (fd, address, length), address.__sockaddr__)
ANSWER_LENGTH(getpeername, (int fd, __SOCKADDR_ARG address, socklen_t *restrict length),
	      (fd, address, length), address.__sockaddr__)

ANSWER(const char *, inet_ntop,
       (int family, const void *restrict address, char *restrict to, socklen_t room),
       (family, address, to, room), result, to, strlen(to) + 1)
ANSWER(int, inet_pton, (int family, const char *restrict text, void *restrict to),
       (family, text, to), result == 1, to, family == AF_INET6 ? 16 : 4)
ANSWER(int, inet_aton, (const char *text, struct in_addr *to), (text, to), result &&to, to,
       sizeof(*to))

/* ---- characters ------------------------------------------------------------------------------- */

#define FAILED ((size_t)-1)

ANSWER(size_t, mbstowcs, (wchar_t *restrict to, const char *restrict text, size_t most),
       (to, text, most), to &&result != FAILED, to, (result + (result < most)) * sizeof(*to))
ANSWER(size_t, __mbstowcs_chk,
       (wchar_t *restrict to, const char *restrict text, size_t most, size_t room),
       (to, text, most, room), to &&result != FAILED, to, (result + (result < most)) * sizeof(*to))
ANSWER(size_t, wcstombs, (char *restrict to, const wchar_t *restrict text, size_t most),
       (to, text, most), to &&result != FAILED, to, result + (result < most))
ANSWER(size_t, __wcstombs_chk,
       (char *restrict to, const wchar_t *restrict text, size_t most, size_t room),
       (to, text, most, room), to &&result != FAILED, to, result + (result < most))

/* ---- memory ----------------------------------------------------------------------------------- */

/* They read, too. */
#define MOVE(type, name, parameters, arguments, from, bytes)                                       \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		transfer_reads(from, bytes, RECORD_CALLER);                                        \
		type result = real()->name arguments;                                              \
		transfer_wrote(to, bytes, RECORD_CALLER);                                          \
		return result;                                                                     \
	}

ANSWER(wchar_t *, wmemset, (wchar_t * to, wchar_t what, size_t count), (to, what, count), true, to,
       count * sizeof(*to))
MOVE(wchar_t *, wmemcpy, (wchar_t *restrict to, const wchar_t *restrict from, size_t count),
     (to, from, count), from, count * sizeof(*to))
MOVE(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t count), (to, from, count),
     from, count * sizeof(*to))
MOVE(wchar_t *, wcscpy, (wchar_t *restrict to, const wchar_t *restrict from), (to, from), from,
     (wcslen(from) + 1) * sizeof(*to))

ANSWER(wchar_t *, __wmemset_chk, (wchar_t * to, wchar_t what, size_t count, size_t room),
       (to, what, count, room), true, to, count * sizeof(*to))
MOVE(wchar_t *, __wmemcpy_chk,
     (wchar_t *restrict to, const wchar_t *restrict from, size_t count, size_t room),
     (to, from, count, room), from, count * sizeof(*to))
MOVE(wchar_t *, __wmemmove_chk, (wchar_t * to, const wchar_t *from, size_t count, size_t room),
     (to, from, count, room), from, count * sizeof(*to))
MOVE(wchar_t *, __wcscpy_chk, (wchar_t *restrict to, const wchar_t *restrict from, size_t room),
     (to, from, room), from, (wcslen(from) + 1) * sizeof(*to))

static size_t up_to(const char *from, int last, size_t most)
{
	const char *found = memchr(from, last, most);

	return found ? (size_t)(found - from) + 1 : most;
}

MOVE(void *, memccpy, (void *restrict to, const void *restrict from, int last, size_t most),
     (to, from, last, most), from, up_to(from, last, most))
ANSWER(size_t, strxfrm, (char *restrict to, const char *restrict text, size_t room),
       (to, text, room), true, to, result < room ? result + 1 : room)

SOOTH_API void explicit_bzero(void *to, size_t size)
{
	real()->explicit_bzero(to, size);
	transfer_wrote(to, size, RECORD_CALLER);
}

SOOTH_API void __explicit_bzero_chk(void *to, size_t size, size_t room)
{
	real()->__explicit_bzero_chk(to, size, room);
	transfer_wrote(to, size, RECORD_CALLER);
}

SOOTH_API void swab(const void *restrict from, void *restrict to, ssize_t size)
{
	size_t bytes = size > 0 ? (size_t)size & ~(size_t)1 : 0;

	transfer_reads(from, bytes, RECORD_CALLER);
	real()->swab(from, to, size);
	transfer_wrote(to, bytes, RECORD_CALLER);
}

/* What the comparison reads meanwhile is recorded as it is found. */
SOOTH_API void qsort(void *base, size_t count, size_t size, __compar_fn_t compare)
{
	transfer_reads(base, count * size, RECORD_CALLER);
	real()->qsort(base, count, size, compare);
	transfer_wrote(base, count * size, RECORD_CALLER);
}
