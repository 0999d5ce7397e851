/*
 * stdio, as far as it orders threads or accesses the program's memory. Recorded are a file's lock
 * where the program acquires it (inside the C library the lock protects no data of the program),
 * and reads that may wait until another thread writes.
 */
#define __NO_INLINE__ 1 /* otherwise the headers define some of these inline */
#include "runtime/memory/printf_scanf.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/simple_lock.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* ---- a file's lock --------------------------------------------------------------------------- */

/* The lock of a file in glibc. It is recursive; only the outermost lock and unlock are recorded. */
struct stdio_lock {
	int futex, depth;
	void *owner;
};

static const struct stdio_lock *lock_of(FILE *file)
{
	return (const struct stdio_lock *)file->_lock;
}

static bool is_locked_by_caller(FILE *file)
{
	return __atomic_load_n(&lock_of(file)->owner, __ATOMIC_RELAXED) == (void *)pthread_self();
}

SIMPLE_LOCK(file_lock, ftrylockfile, flockfile, funlockfile)

SOOTH_API void flockfile(FILE *file)
{
	if (!record_on() || is_locked_by_caller(file))
		real()->flockfile(file);
	else
		simple_lock_acquire(&file_lock, file, RECORD_CALLER);
}

SOOTH_API int ftrylockfile(FILE *file)
{
	if (!record_on() || is_locked_by_caller(file))
		return real()->ftrylockfile(file);
	return simple_lock_try(&file_lock, file, RECORD_CALLER);
}

SOOTH_API void funlockfile(FILE *file)
{
	if (!record_on() || !is_locked_by_caller(file) || lock_of(file)->depth != 1)
		real()->funlockfile(file);
	else
		simple_lock_release(&file_lock, file, RECORD_CALLER);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* May a read from `file` wait? Not from a regular file (blocking_calls.c). */
static bool may_wait(FILE *file)
{
	int error = errno;
	struct stat st;
	bool may = record_on() && file->_fileno >= 0 && fstat(file->_fileno, &st) == 0 &&
		   !S_ISREG(st.st_mode);

	errno = error;
	return may;
}

/* In a controlled run, leaves the schedule if neither the buffer nor the descriptor has data. */
static void leave_if_empty(FILE *file, uintptr_t pc)
{
	struct pollfd p = { .fd = file->_fileno, .events = POLLIN };

	if (sched_on() && file->_IO_read_ptr == file->_IO_read_end && may_wait(file) &&
	    real()->poll(&p, 1, 0) == 0)
		sched_leave(pc);
}

/* Ends a call that has returned: SYNC is recorded before the call's writes. */
static void end_wait(struct unknown_wait_call *call, bool waited)
{
	call->how = waited ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	unknown_wait_end(call);
	call->how = UNKNOWN_WAIT_NOTHING;
}

/*
 * An interposer that reads from `file`. If `got` is true, the call has written `size` bytes to
 * `to`.
 */
#define READ_FILE(name, parameters, type, result, file, got, to, size)                             \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		leave_if_empty(file, RECORD_CALLER);                                               \
		type result = real()->name(ARGUMENTS parameters);                                  \
		end_wait(&call, (got) && may_wait(file));                                          \
		kernel_state_file_seen(file->_fileno, RECORD_CALLER);                              \
		if (got)                                                                           \
			transfer_wrote(to, size, RECORD_CALLER);                                   \
		return result;                                                                     \
	}

READ_FILE(fread, (void *, to, size_t, size, size_t, count, FILE *, file), size_t, result, file,
	  result != 0, to, result *size)
READ_FILE(__fread_chk, (void *, to, size_t, room, size_t, size, size_t, count, FILE *, file),
	  size_t, result, file, result != 0, to, result *size)
READ_FILE(fgets, (char *, to, int, size, FILE *, file), char *, result, file, result != NULL, to,
	  strlen(to) + 1)
READ_FILE(__fgets_chk, (char *, to, size_t, room, int, size, FILE *, file), char *, result, file,
	  result != NULL, to, strlen(to) + 1)
READ_FILE(getline, (char **, line, size_t *, room, FILE *, file), ssize_t, result, file, result > 0,
	  *line, (size_t)result + 1)
READ_FILE(getdelim, (char **, line, size_t *, room, int, end, FILE *, file), ssize_t, result, file,
	  result > 0, *line, (size_t)result + 1)
/* With optimisation, the C library's headers turn getline into a call of this. */
READ_FILE(__getdelim, (char **, line, size_t *, room, int, end, FILE *, file), ssize_t, result,
	  file, result > 0, *line, (size_t)result + 1)

/* ---- writing --------------------------------------------------------------------------------- */

SOOTH_API size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
	size_t bytes;

	if (!__builtin_mul_overflow(size, count, &bytes))
		transfer_reads(from, bytes, RECORD_CALLER);
	return real()->fwrite(from, size, count, file);
}

/* The functions of the printf family are in printf_scanf.c. */
SOOTH_API int fputs(const char *restrict text, FILE *restrict file)
{
	transfer_reads(text, strlen(text) + 1, RECORD_CALLER);
	return real()->fputs(text, file);
}

SOOTH_API int puts(const char *text)
{
	transfer_reads(text, strlen(text) + 1, RECORD_CALLER);
	return real()->puts(text);
}

/* What the buffer contains goes to the file. */
#define FLUSH(name)                                                                                \
	SOOTH_API int name(FILE *file)                                                             \
	{                                                                                          \
		if (file && file->_IO_write_ptr > file->_IO_write_base)                            \
			kernel_state_file_changes(file->_fileno, RECORD_CALLER);                   \
		return real()->name(file);                                                         \
	}

FLUSH(fflush)
FLUSH(fclose)

/* ---- by characters and formats --------------------------------------------------------------- */

/*
 * Only a call that fills the buffer can wait, and that call has recorded SYNC. Checking the file
 * for each character would cost too much.
 */
static int get_character(FILE *file, uintptr_t pc)
{
	if (file->_IO_read_ptr != file->_IO_read_end)
		return real()->fgetc(file);
	UNKNOWN_WAIT_BEGIN(call, pc);
	leave_if_empty(file, pc);
	int result = real()->fgetc(file);
	call.how = result != EOF && may_wait(file) ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	kernel_state_file_seen(file->_fileno, pc);
	return result;
}

INTERPOSER(int, fgetc, (FILE *, file), get_character)
INTERPOSER(int, getc, (FILE *, file), get_character)

SOOTH_API int getchar(void)
{
	return get_character(stdin, RECORD_CALLER);
}

static int scan_file(FILE *file, const char *format, va_list values, uintptr_t pc)
{
	UNKNOWN_WAIT_BEGIN(call, pc);
	va_list copy;
	leave_if_empty(file, pc);
	va_copy(copy, values);
	int result = real()->__isoc99_vfscanf(file, format, values);
	end_wait(&call, result != EOF && may_wait(file));
	kernel_state_file_seen(file->_fileno, pc);
	printf_scanf_scanned(format, copy, result, pc);
	va_end(copy);
	return result;
}

/*
 * The names of the functions since C99. The older functions, whose `%as` allocates memory, are not
 * interposed.
 */
INTERPOSER(int, __isoc99_vfscanf, (FILE *, file, const char *, format, va_list, values), scan_file)
INTERPOSER_VARIADIC(__isoc99_fscanf, (FILE *, file, const char *, format), format, values,
		    scan_file(file, format, values, RECORD_CALLER))
INTERPOSER_VARIADIC(__isoc99_scanf, (const char *, format), format, values,
		    scan_file(stdin, format, values, RECORD_CALLER))

SOOTH_API int __isoc99_vscanf(const char *restrict format, va_list values)
{
	return scan_file(stdin, format, values, RECORD_CALLER);
}
