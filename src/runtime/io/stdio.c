/*
 * What of stdio orders threads: a file's lock where the program takes it by itself (inside the
 * library it guards nothing of the program's), and reading what another thread may have to write
 * first.
 */
#define __NO_INLINE__ 1 /* the C library's headers have bodies for some of these */
#include "runtime/memory/printf_scanf.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/simple_lock.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* ---- a file's lock ---------------------------------------------------------------------------- */

/* As glibc has it. It is recursive; a trace has only the outermost taking and giving back. */
struct file_lock {
	int futex, depth;
	void *owner;
};

static const struct file_lock *lock_of(FILE *file)
{
	return (const struct file_lock *)file->_lock;
}

static bool is_mine(FILE *file)
{
	return __atomic_load_n(&lock_of(file)->owner, __ATOMIC_RELAXED) == (void *)pthread_self();
}

static int try_file(void *file)
{
	return real()->ftrylockfile(file);
}

static void wait_file(void *file)
{
	real()->flockfile(file);
}

static void give_file(void *file)
{
	real()->funlockfile(file);
}

static struct simple_lock lock_named(FILE *file)
{
	return (struct simple_lock){ file, try_file, wait_file, give_file };
}

SOOTH_API void flockfile(FILE *file)
{
	if (!record_on() || is_mine(file)) {
		real()->flockfile(file);
		return;
	}
	struct simple_lock lock = lock_named(file);
	simple_lock_take(&lock, RECORD_CALLER);
}

SOOTH_API int ftrylockfile(FILE *file)
{
	if (!record_on() || is_mine(file))
		return real()->ftrylockfile(file);
	struct simple_lock lock = lock_named(file);
	return simple_lock_try(&lock, RECORD_CALLER);
}

SOOTH_API void funlockfile(FILE *file)
{
	if (!record_on() || !is_mine(file) || lock_of(file)->depth != 1) {
		real()->funlockfile(file);
		return;
	}
	struct simple_lock lock = lock_named(file);
	simple_lock_give(&lock, RECORD_CALLER);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* See blocking_calls.c for which files make nobody wait. */
static bool may_wait(FILE *file)
{
	int error = errno;
	struct stat st;
	bool may = record_on() && file->_fileno >= 0 && fstat(file->_fileno, &st) == 0 &&
		   !S_ISREG(st.st_mode);

	errno = error;
	return may;
}

/* Is there nothing in its buffer, nor to be read? */
static bool has_to_wait(FILE *file)
{
	struct pollfd p = { .fd = file->_fileno, .events = POLLIN };

	return file->_IO_read_ptr == file->_IO_read_end && may_wait(file) &&
	       real()->poll(&p, 1, 0) == 0;
}

/* The call has come back: what it waited for is recorded here, before what it wrote. */
static void came_back(struct unknown_wait_call *call, bool waited)
{
	call->how = waited ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	unknown_wait_end(call);
	call->how = UNKNOWN_WAIT_NOTHING;
}

/* An interposer; `got` says of the result that there was something, `at` and `size` where it is. */
#define READ_FILE(type, name, parameters, arguments, got, at, size)                                \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		if (sched_on() && has_to_wait(file))                                               \
			sched_leave(RECORD_CALLER);                                                \
		type result = real()->name arguments;                                              \
		came_back(&call, got((long)result) && may_wait(file));                             \
		if (got((long)result))                                                             \
			transfer_wrote(at, size, RECORD_CALLER);                                   \
		return result;                                                                     \
	}

static bool some(long result)
{
	return result != 0;
}

static bool positive(long result)
{
	return result > 0;
}

READ_FILE(size_t, fread, (void *restrict to, size_t size, size_t count, FILE *restrict file),
	  (to, size, count, file), some, to, result *size)
READ_FILE(size_t, __fread_chk,
	  (void *restrict to, size_t room, size_t size, size_t count, FILE *restrict file),
	  (to, room, size, count, file), some, to, result *size)
READ_FILE(char *, fgets, (char *restrict to, int size, FILE *restrict file), (to, size, file), some,
	  to, strlen(to) + 1)
READ_FILE(char *, __fgets_chk, (char *restrict to, size_t room, int size, FILE *restrict file),
	  (to, room, size, file), some, to, strlen(to) + 1)
READ_FILE(ssize_t, getline, (char **restrict line, size_t *restrict room, FILE *restrict file),
	  (line, room, file), positive, *line, (size_t)result + 1)
READ_FILE(ssize_t, getdelim,
	  (char **restrict line, size_t *restrict room, int end, FILE *restrict file),
	  (line, room, end, file), positive, *line, (size_t)result + 1)
/* What the header makes of getline. */
READ_FILE(ssize_t, __getdelim,
	  (char **restrict line, size_t *restrict room, int end, FILE *restrict file),
	  (line, room, end, file), positive, *line, (size_t)result + 1)

/* ---- writing ---------------------------------------------------------------------------------- */

SOOTH_API size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
	size_t bytes;

	if (!__builtin_mul_overflow(size, count, &bytes))
		transfer_reads(from, bytes, RECORD_CALLER);
	return real()->fwrite(from, size, count, file);
}

/* ---- by characters and formats ---------------------------------------------------------------- */

/* Whoever filled the buffer has waited; to look further at each character would cost too much. */
static int get(FILE *file, uintptr_t pc)
{
	if (file->_IO_read_ptr != file->_IO_read_end)
		return real()->fgetc(file);
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	if (sched_on() && has_to_wait(file))
		sched_leave(pc);
	int result = real()->fgetc(file);
	call.how = result != EOF && may_wait(file) ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}

SOOTH_API int fgetc(FILE *file)
{
	return get(file, RECORD_CALLER);
}

SOOTH_API int getc(FILE *file)
{
	return get(file, RECORD_CALLER);
}

SOOTH_API int getchar(void)
{
	return get(stdin, RECORD_CALLER);
}

static int scan(FILE *file, const char *format, va_list values, uintptr_t pc)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	va_list copy;
	if (sched_on() && has_to_wait(file))
		sched_leave(pc);
	va_copy(copy, values);
	int result = real()->__isoc99_vfscanf(file, format, values);
	came_back(&call, result != EOF && may_wait(file));
	printf_scanf_scanned(format, copy, result, pc);
	va_end(copy);
	return result;
}

/* The names that these have since C99; the older ones, where `%as` allocates, are left alone. */
SOOTH_API int __isoc99_vfscanf(FILE *restrict file, const char *restrict format, va_list values)
{
	return scan(file, format, values, RECORD_CALLER);
}

SOOTH_API int __isoc99_vscanf(const char *restrict format, va_list values)
{
	return scan(stdin, format, values, RECORD_CALLER);
}

SOOTH_API int __isoc99_fscanf(FILE *restrict file, const char *restrict format, ...)
{
	va_list values;

	va_start(values, format);
	int result = scan(file, format, values, RECORD_CALLER);
	va_end(values);
	return result;
}

SOOTH_API int __isoc99_scanf(const char *restrict format, ...)
{
	va_list values;

	va_start(values, format);
	int result = scan(stdin, format, values, RECORD_CALLER);
	va_end(values);
	return result;
}
