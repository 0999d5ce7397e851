/*
 * Functions of the C library that write their results to the caller's memory: times, texts, the
 * state of a file. If the caller is instrumented, what they write is recorded as a WRITE without a
 * value by the calling thread (transfer.h). Other such functions are in the files of their subjects
 * (virtual_time.c, random.c, open_close.c, read_write.c, state_polls.c, stdio.c,
 * printf_scanf.c).
 */
#define __NO_INLINE__ 1 /* otherwise the headers define some of these inline */
#include "runtime/host/interposer.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/transfer.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

/*
 * An interposer. If `written`, an expression of the result, is true, the real function has written
 * `size` bytes to `to`.
 */
#define OUTPUT(name, parameters, type, result, written, to, size)                                  \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		type result = real()->name(ARGUMENTS parameters);                                  \
		if (written)                                                                       \
			transfer_wrote(to, size, RECORD_CALLER);                                   \
		return result;                                                                     \
	}

/* The function returns 0 if it has written the object to which `to` points. */
#define OUTPUT_OBJECT(name, parameters, to)                                                        \
	OUTPUT(name, parameters, int, result, result == 0, to, sizeof(*(to)))

/*
 * The function returns the text, or NULL if it fails. If `to` is NULL, the text is in other memory
 * and nothing is recorded.
 */
#define OUTPUT_TEXT(name, parameters, type, to)                                                    \
	OUTPUT(name, parameters, type, result, result &&to, to, strlen(to) + 1)

/* The function returns how many bytes it has written, or -1. */
#define OUTPUT_BYTES(name, parameters, to)                                                         \
	OUTPUT(name, parameters, ssize_t, result, result > 0, to, (size_t)result)

/* ---- times ----------------------------------------------------------------------------------- */

OUTPUT_OBJECT(clock_getres, (clockid_t, clock, struct timespec *, to), to)
OUTPUT(localtime_r, (const time_t *, time, struct tm *, to), struct tm *, result, result, to,
       sizeof(*to))
OUTPUT(gmtime_r, (const time_t *, time, struct tm *, to), struct tm *, result, result, to,
       sizeof(*to))
OUTPUT_TEXT(asctime_r, (const struct tm *, time, char *, to), char *, to)
OUTPUT_TEXT(ctime_r, (const time_t *, time, char *, to), char *, to)
OUTPUT(strftime, (char *, to, size_t, room, const char *, format, const struct tm *, time), size_t,
       result, result, to, result + 1)
OUTPUT(mktime, (struct tm *, time), time_t, result, result != -1, time, sizeof(*time))
OUTPUT(timegm, (struct tm *, time), time_t, result, result != -1, time, sizeof(*time))

/* ---- files ----------------------------------------------------------------------------------- */

/* What these functions tell may have been changed by other threads (kernel_state.h). */
static void see_name(int result, const char *path, uint64_t device, uint64_t inode, uintptr_t pc)
{
	if (path)
		kernel_state_name_seen(path, pc);
	if (result == 0)
		kernel_state_inode_seen(device, inode, pc);
}

#define STATE_OF_FILE(name, parameters, path, to, device, inode)                                   \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		int result = real()->name(ARGUMENTS parameters);                                   \
		bool done = result == 0;                                                           \
		see_name(result, path, done ? device : 0, done ? inode : 0, RECORD_CALLER);        \
		if (done)                                                                          \
			transfer_wrote(to, sizeof(*(to)), RECORD_CALLER);                          \
		return result;                                                                     \
	}
#define STAT(name, parameters, path)                                                               \
	STATE_OF_FILE(name, parameters, path, to, to->st_dev, to->st_ino)

STAT(stat, (const char *, path, struct stat *, to), path)
STAT(lstat, (const char *, path, struct stat *, to), path)
STAT(fstat, (int, fd, struct stat *, to), NULL)
STAT(fstatat, (int, at, const char *, path, struct stat *, to, int, flags), path)
STAT(stat64, (const char *, path, struct stat64 *, to), path)
STAT(lstat64, (const char *, path, struct stat64 *, to), path)
STAT(fstat64, (int, fd, struct stat64 *, to), NULL)
STAT(fstatat64, (int, at, const char *, path, struct stat64 *, to, int, flags), path)
STATE_OF_FILE(statx, (int, at, const char *, path, int, flags, unsigned, mask, struct statx *, to),
	      path, to, makedev(to->stx_dev_major, to->stx_dev_minor), to->stx_ino)
/* With headers of older C libraries, stat and its variants call these functions. */
STAT(__xstat, (int, version, const char *, path, struct stat *, to), path)
STAT(__lxstat, (int, version, const char *, path, struct stat *, to), path)
STAT(__fxstat, (int, version, int, fd, struct stat *, to), NULL)

AND_CHECKED(OUTPUT_BYTES, readlink, (const char *, path, char *, to, size_t, room), to)
AND_CHECKED(OUTPUT_BYTES, readlinkat, (int, at, const char *, path, char *, to, size_t, room), to)
AND_CHECKED(OUTPUT_TEXT, getcwd, (char *, to, size_t, room), char *, to)
/* The newest version of realpath; older versions fail if `to` is NULL. */
AND_CHECKED(OUTPUT_TEXT, realpath, (const char *, path, char *, to), char *, to)

/* ---- the system ------------------------------------------------------------------------------ */

OUTPUT_OBJECT(uname, (struct utsname *, to), to)
OUTPUT_OBJECT(sysinfo, (struct sysinfo *, to), to)
OUTPUT_OBJECT(getrusage, (__rusage_who_t, who, struct rusage *, to), to)
OUTPUT_OBJECT(getrlimit, (__rlimit_resource_t, which, struct rlimit *, to), to)
OUTPUT_OBJECT(getrlimit64, (__rlimit_resource_t, which, struct rlimit64 *, to), to)

/* The function has written a text to `to`, cut off if it does not fit into `room` bytes. */
#define OUTPUT_CUT_TEXT(name, parameters, type, result, written, to, room)                         \
	OUTPUT(name, parameters, type, result, written, to, strnlen(to, (room)-1) + 1)

AND_CHECKED(OUTPUT_CUT_TEXT, gethostname, (char *, to, size_t, room), int, result, result == 0, to,
	    room)
OUTPUT_CUT_TEXT(strerror_r, (int, error, char *, to, size_t, room), char *, result,
		result == to && room, to, room)
OUTPUT_CUT_TEXT(__xpg_strerror_r, (int, error, char *, to, size_t, room), int, result,
		result == 0 && room, to, room)

/* ---- sockets --------------------------------------------------------------------------------- */

/*
 * The function stores the full number of bytes in `length`, but writes only as many bytes as fit.
 */
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

OUTPUT_TEXT(inet_ntop, (int, family, const void *, address, char *, to, socklen_t, room),
	    const char *, to)
OUTPUT(inet_pton, (int, family, const char *, text, void *, to), int, result, result == 1, to,
       family == AF_INET6 ? 16 : 4)
OUTPUT(inet_aton, (const char *, text, struct in_addr *, to), int, result, result &&to, to,
       sizeof(*to))

/* ---- characters ------------------------------------------------------------------------------ */

/*
 * The function returns the number of characters that it has written, without the terminating null,
 * or -1.
 */
#define OUTPUT_CHARACTERS(name, parameters, to, most)                                              \
	OUTPUT(name, parameters, size_t, result, to &&result != (size_t)-1, to,                    \
	       (result + (result < (most))) * sizeof(*(to)))

AND_CHECKED(OUTPUT_CHARACTERS, mbstowcs, (wchar_t *, to, const char *, text, size_t, most), to,
	    most)
AND_CHECKED(OUTPUT_CHARACTERS, wcstombs, (char *, to, const wchar_t *, text, size_t, most), to,
	    most)
OUTPUT(strxfrm, (char *, to, const char *, text, size_t, room), size_t, result, true, to,
       result < room ? result + 1 : room)

/* ---- memory ---------------------------------------------------------------------------------- */

/* The function reads `bytes` bytes from `from` and writes as many to `to`. */
#define COPY(name, parameters, type, to, from, bytes)                                              \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		transfer_reads(from, bytes, RECORD_CALLER);                                        \
		type result = real()->name(ARGUMENTS parameters);                                  \
		transfer_wrote(to, bytes, RECORD_CALLER);                                          \
		return result;                                                                     \
	}

AND_CHECKED(OUTPUT, wmemset, (wchar_t *, to, wchar_t, what, size_t, count), wchar_t *, result, true,
	    to, count * sizeof(*to))
AND_CHECKED(COPY, wmemcpy, (wchar_t *, to, const wchar_t *, from, size_t, count), wchar_t *, to,
	    from, count * sizeof(*to))
AND_CHECKED(COPY, wmemmove, (wchar_t *, to, const wchar_t *, from, size_t, count), wchar_t *, to,
	    from, count * sizeof(*to))
AND_CHECKED(COPY, wcscpy, (wchar_t *, to, const wchar_t *, from), wchar_t *, to, from,
	    (wcslen(from) + 1) * sizeof(*to))

static size_t bytes_up_to(const char *from, int last, size_t most)
{
	const char *found = memchr(from, last, most);

	return found ? (size_t)(found - from) + 1 : most;
}

COPY(memccpy, (void *, to, const void *, from, int, last, size_t, most), void *, to, from,
     bytes_up_to(from, last, most))

/* As COPY, for a function without a result. `from` is NULL if the function reads nothing. */
#define COPY_VOID(name, parameters, to, from, bytes)                                               \
	SOOTH_API void name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		transfer_reads(from, bytes, RECORD_CALLER);                                        \
		real()->name(ARGUMENTS parameters);                                                \
		transfer_wrote(to, bytes, RECORD_CALLER);                                          \
	}

AND_CHECKED(COPY_VOID, explicit_bzero, (void *, to, size_t, size), to, NULL, size)
COPY_VOID(swab, (const void *, from, void *, to, ssize_t, size), to, from,
	  size > 0 ? (size_t)size & ~(size_t)1 : 0)
/* The reads of the comparison function are recorded when it runs. */
COPY_VOID(qsort, (void *, base, size_t, count, size_t, size, __compar_fn_t, compare), base, base,
	  count *size)
