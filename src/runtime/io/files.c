/*
 * Calls that change files, or names in directories, without transferring bytes: other threads may
 * notice such a change (kernel_state.h). Calls that transfer bytes are in read_write.c, calls that
 * open files in open_close.c, calls that tell the state of a file in libc_outputs.c.
 */
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/descriptor.h"

#include <stdio.h>
#include <unistd.h>

/* An interposer that records the change of a name first. */
#define CHANGE_NAME(name, parameters, path)                                                        \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		kernel_state_name_changes(path, RECORD_CALLER);                                    \
		return real()->name(ARGUMENTS parameters);                                         \
	}

CHANGE_NAME(unlink, (const char *, path), path)
CHANGE_NAME(unlinkat, (int, at, const char *, path, int, flags), path)
CHANGE_NAME(remove, (const char *, path), path)
CHANGE_NAME(rmdir, (const char *, path), path)
CHANGE_NAME(mkdir, (const char *, path, mode_t, mode), path)
CHANGE_NAME(mkdirat, (int, at, const char *, path, mode_t, mode), path)
CHANGE_NAME(mkfifo, (const char *, path, mode_t, mode), path)
CHANGE_NAME(symlink, (const char *, to, const char *, path), path)
CHANGE_NAME(symlinkat, (const char *, to, int, at, const char *, path), path)
CHANGE_NAME(link, (const char *, from, const char *, path), path)
CHANGE_NAME(linkat, (int, at, const char *, from, int, to_at, const char *, path, int, flags), path)

#define CHANGE_NAMES(name, parameters, from, to)                                                   \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		kernel_state_name_changes(from, RECORD_CALLER);                                    \
		kernel_state_name_changes(to, RECORD_CALLER);                                      \
		return real()->name(ARGUMENTS parameters);                                         \
	}

CHANGE_NAMES(rename, (const char *, from, const char *, to), from, to)
CHANGE_NAMES(renameat, (int, at, const char *, from, int, to_at, const char *, to), from, to)
CHANGE_NAMES(renameat2,
	     (int, at, const char *, from, int, to_at, const char *, to, unsigned, flags), from, to)

/* An interposer that changes the size of a file. */
#define CHANGE_FILE(name, parameters, fd)                                                          \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		kernel_state_file_changes(fd, RECORD_CALLER);                                      \
		return real()->name(ARGUMENTS parameters);                                         \
	}

CHANGE_FILE(ftruncate, (int, fd, off_t, size), fd)
CHANGE_FILE(ftruncate64, (int, fd, off64_t, size), fd)
CHANGE_FILE(fallocate, (int, fd, int, mode, off_t, at, off_t, size), fd)
CHANGE_FILE(posix_fallocate, (int, fd, off_t, at, off_t, size), fd)

/* Calls that see whether a name is there. */
#define SEE_NAME(name, parameters, path)                                                           \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		int result = real()->name(ARGUMENTS parameters);                                   \
		kernel_state_name_seen(path, RECORD_CALLER);                                       \
		return result;                                                                     \
	}

SEE_NAME(access, (const char *, path, int, how), path)
SEE_NAME(faccessat, (int, at, const char *, path, int, how, int, flags), path)

/* The position at the end of a file tells its size. */
#define SEE_SIZE(name, type)                                                                       \
	SOOTH_API type name(int fd, type by, int whence)                                           \
	{                                                                                          \
		type result = real()->name(fd, by, whence);                                        \
		if (result >= 0 && whence != SEEK_SET && whence != SEEK_CUR)                       \
			kernel_state_file_seen(fd, RECORD_CALLER);                                 \
		return result;                                                                     \
	}

SEE_SIZE(lseek, off_t)
SEE_SIZE(lseek64, off64_t)
