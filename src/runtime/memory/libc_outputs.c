/*
 * Functions of the C library that write their results to the caller's memory: times, texts, the
 * state of a file. What they wrote is recorded as a WRITE without a value by the calling thread
 * (transfer.h), if the caller is instrumented. Other such functions are in the files that they
 * belong to otherwise (virtual_time.c, random.c, open_close.c, read_write.c, stdio.c,
 * printf_scanf.c).
 */
#define __NO_INLINE__ 1 /* the C library's headers have bodies for some of these */
#include "runtime/host/interposer.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/transfer.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/*
 * An interposer. If `written` holds for the result, the function has written `size` bytes to `to`.
 */
#define OUTPUT(type, result, name, parameters, written, to, size)                                  \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		type result = real()->name(ARGUMENTS parameters);                                  \
		if (written)                                                                       \
			transfer_wrote(to, size, RECORD_CALLER);                                   \
		return result;                                                                     \
	}

/* The function returns 0 if it has written the object that `to` points at. */
#define OUTPUT_OBJECT(name, parameters, to)                                                        \
	OUTPUT(int, result, name, parameters, result == 0, to, sizeof(*(to)))

/* The function returns `to`, or NULL if it fails. If `to` is NULL, the text is elsewhere. */
#define OUTPUT_TEXT(type, name, parameters, to)                                                    \
	OUTPUT(type, result, name, parameters, result &&to, to, strlen(to) + 1)

/* The function returns how many bytes it has written, or -1. */
#define OUTPUT_BYTES(name, parameters, to)                                                         \
	OUTPUT(ssize_t, result, name, parameters, result > 0, to, (size_t)result)

/* ---- times -------------------------------------------------------------------------------- */

OUTPUT_OBJECT(clock_getres, (clockid_t, clock, struct timespec *, to), to)
OUTPUT(struct tm *, result, localtime_r, (const time_t *, time, struct tm *, to), result, to,
       sizeof(*to))
OUTPUT(struct tm *, result, gmtime_r, (const time_t *, time, struct tm *, to), result, to,
       sizeof(*to))
OUTPUT_TEXT(char *, asctime_r, (const struct tm *, time, char *, to), to)
OUTPUT_TEXT(char *, ctime_r, (const time_t *, time, char *, to), to)
OUTPUT(size_t, result, strftime,
       (char *, to, size_t, room, const char *, format, const struct tm *, time), result, to,
       result + 1)
OUTPUT(time_t, result, mktime, (struct tm *, time), result != -1, time, sizeof(*time))
OUTPUT(time_t, result, timegm, (struct tm *, time), result != -1, time, sizeof(*time))

/* ---- files -------------------------------------------------------------------------------- */

OUTPUT_OBJECT(stat, (const char *, path, struct stat *, to), to)
OUTPUT_OBJECT(lstat, (const char *, path, struct stat *, to), to)
OUTPUT_OBJECT(fstat, (int, fd, struct stat *, to), to)
OUTPUT_OBJECT(fstatat, (int, at, const char *, path, struct stat *, to, int, flags), to)
OUTPUT_OBJECT(stat64, (const char *, path, struct stat64 *, to), to)
OUTPUT_OBJECT(lstat64, (const char *, path, struct stat64 *, to), to)
OUTPUT_OBJECT(fstat64, (int, fd, struct stat64 *, to), to)
OUTPUT_OBJECT(fstatat64, (int, at, const char *, path, struct stat64 *, to, int, flags), to)
OUTPUT_OBJECT(statx, (int, at, const char *, path, int, flags, unsigned, mask, struct statx *, to),
	      to)
/* Older headers make stat call these. */
OUTPUT_OBJECT(__xstat, (int, version, const char *, path, struct stat *, to), to)
OUTPUT_OBJECT(__lxstat, (int, version, const char *, path, struct stat *, to), to)
OUTPUT_OBJECT(__fxstat, (int, version, int, fd, struct stat *, to), to)

OUTPUT_BYTES(readlink, (const char *, path, char *, to, size_t, room), to)
OUTPUT_BYTES(__readlink_chk, (const char *, path, char *, to, size_t, room, size_t, most), to)
OUTPUT_BYTES(readlinkat, (int, at, const char *, path, char *, to, size_t, room), to)
OUTPUT_BYTES(__readlinkat_chk,
	     (int, at, const char *, path, char *, to, size_t, room, size_t, most), to)
OUTPUT_TEXT(char *, getcwd, (char *, to, size_t, room), to)
OUTPUT_TEXT(char *, __getcwd_chk, (char *, to, size_t, room, size_t, most), to)
/* The newest version: the older one requires that `to` is given. */
OUTPUT_TEXT(char *, realpath, (const char *, path, char *, to), to)
OUTPUT_TEXT(char *, __realpath_chk, (const char *, path, char *, to, size_t, most), to)

/* ---- the system --------------------------------------------------------------------------- */

OUTPUT_OBJECT(uname, (struct utsname *, to), to)
OUTPUT_OBJECT(sysinfo, (struct sysinfo *, to), to)
OUTPUT_OBJECT(getrusage, (__rusage_who_t, who, struct rusage *, to), to)
OUTPUT_OBJECT(getrlimit, (__rlimit_resource_t, which, struct rlimit *, to), to)
OUTPUT_OBJECT(getrlimit64, (__rlimit_resource_t, which, struct rlimit64 *, to), to)
OUTPUT_OBJECT(sem_getvalue, (sem_t *, semaphore, int *, to), to)

/* The function has written a text into `room` bytes at `to`, which may be cut off. */
#define OUTPUT_CUT_TEXT(type, result, name, parameters, written, to, room)                         \
	OUTPUT(type, result, name, parameters, written, to, strnlen(to, (room)-1) + 1)

OUTPUT_CUT_TEXT(int, result, gethostname, (char *, to, size_t, room), result == 0, to, room)
OUTPUT_CUT_TEXT(int, result, __gethostname_chk, (char *, to, size_t, room, size_t, most),
		result == 0, to, room)
OUTPUT_CUT_TEXT(char *, result, strerror_r, (int, error, char *, to, size_t, room),
		result == to && room, to, room)
OUTPUT_CUT_TEXT(int, result, __xpg_strerror_r, (int, error, char *, to, size_t, room),
		result == 0 && room, to, room)

/* ---- sockets ------------------------------------------------------------------------------ */

/* The function stores in `length` how many bytes there are, which may be more than the room. */
#define OUTPUT_LENGTH(name, parameters, to, length)                                                \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		socklen_t room = 0;                                                                \
		safe_read(&room, length, sizeof(room));                                            \
		int result = real()->name(ARGUMENTS parameters);                                   \
		if (result == 0 && length) {                                                       \
			transfer_wrote(to, *length < room ? *length : room, RECORD_CALLER);        \
			transfer_wrote(length, sizeof(*length), RECORD_CALLER);                    \
		}                                                                                  \
		return result;                                                                     \
	}

OUTPUT_LENGTH(getsockopt, (int, fd, int, level, int, name, void *, value, socklen_t *, length),
	      value, length)
OUTPUT_LENGTH(getsockname, (int, fd, __SOCKADDR_ARG, address, socklen_t *, length),
	      address.__sockaddr__, length)
OUTPUT_LENGTH(getpeername, (int, fd, __SOCKADDR_ARG, address, socklen_t *, length),
	      address.__sockaddr__, length)

OUTPUT_TEXT(const char *, inet_ntop,
	    (int, family, const void *, address, char *, to, socklen_t, room), to)
OUTPUT(int, result, inet_pton, (int, family, const char *, text, void *, to), result == 1, to,
       family == AF_INET6 ? 16 : 4)
OUTPUT(int, result, inet_aton, (const char *, text, struct in_addr *, to), result &&to, to,
       sizeof(*to))

/* ---- characters --------------------------------------------------------------------------- */

/* The function returns how many characters it has written, without an end, or -1. */
#define OUTPUT_CHARACTERS(name, parameters, to, most)                                              \
	OUTPUT(size_t, result, name, parameters, to &&result != (size_t)-1, to,                    \
	       (result + (result < (most))) * sizeof(*(to)))

OUTPUT_CHARACTERS(mbstowcs, (wchar_t *, to, const char *, text, size_t, most), to, most)
OUTPUT_CHARACTERS(__mbstowcs_chk, (wchar_t *, to, const char *, text, size_t, most, size_t, room),
		  to, most)
OUTPUT_CHARACTERS(wcstombs, (char *, to, const wchar_t *, text, size_t, most), to, most)
OUTPUT_CHARACTERS(__wcstombs_chk, (char *, to, const wchar_t *, text, size_t, most, size_t, room),
		  to, most)
OUTPUT(size_t, result, strxfrm, (char *, to, const char *, text, size_t, room), true, to,
       result < room ? result + 1 : room)

/* ---- memory ------------------------------------------------------------------------------- */

/* The function reads and writes as many bytes. */
#define COPY(type, name, parameters, to, from, bytes)                                              \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		transfer_reads(from, bytes, RECORD_CALLER);                                        \
		type result = real()->name(ARGUMENTS parameters);                                  \
		transfer_wrote(to, bytes, RECORD_CALLER);                                          \
		return result;                                                                     \
	}

OUTPUT(wchar_t *, result, wmemset, (wchar_t *, to, wchar_t, what, size_t, count), true, to,
       count * sizeof(*to))
OUTPUT(wchar_t *, result, __wmemset_chk,
       (wchar_t *, to, wchar_t, what, size_t, count, size_t, room), true, to, count * sizeof(*to))
COPY(wchar_t *, wmemcpy, (wchar_t *, to, const wchar_t *, from, size_t, count), to, from,
     count * sizeof(*to))
COPY(wchar_t *, __wmemcpy_chk, (wchar_t *, to, const wchar_t *, from, size_t, count, size_t, room),
     to, from, count * sizeof(*to))
COPY(wchar_t *, wmemmove, (wchar_t *, to, const wchar_t *, from, size_t, count), to, from,
     count * sizeof(*to))
COPY(wchar_t *, __wmemmove_chk, (wchar_t *, to, const wchar_t *, from, size_t, count, size_t, room),
     to, from, count * sizeof(*to))
COPY(wchar_t *, wcscpy, (wchar_t *, to, const wchar_t *, from), to, from,
     (wcslen(from) + 1) * sizeof(*to))
COPY(wchar_t *, __wcscpy_chk, (wchar_t *, to, const wchar_t *, from, size_t, room), to, from,
     (wcslen(from) + 1) * sizeof(*to))

static size_t bytes_up_to(const char *from, int last, size_t most)
{
	const char *found = memchr(from, last, most);

	return found ? (size_t)(found - from) + 1 : most;
}

COPY(void *, memccpy, (void *, to, const void *, from, int, last, size_t, most), to, from,
     bytes_up_to(from, last, most))

/* The same without a result. `from` is NULL for a function that reads nothing. */
#define COPY_VOID(name, parameters, to, from, bytes)                                               \
	SOOTH_API void name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		transfer_reads(from, bytes, RECORD_CALLER);                                        \
		real()->name(ARGUMENTS parameters);                                                \
		transfer_wrote(to, bytes, RECORD_CALLER);                                          \
	}

COPY_VOID(explicit_bzero, (void *, to, size_t, size), to, NULL, size)
COPY_VOID(__explicit_bzero_chk, (void *, to, size_t, size, size_t, room), to, NULL, size)
COPY_VOID(swab, (const void *, from, void *, to, ssize_t, size), to, from,
	  size > 0 ? (size_t)size & ~(size_t)1 : 0)
/* What the comparison function reads is recorded when it does. */
COPY_VOID(qsort, (void *, base, size_t, count, size_t, size, __compar_fn_t, compare), base, base,
	  count *size)
