/*
 * fopencookie: stdio calls functions of the program, with the file's lock held, whenever the file's
 * buffer requires it. What such a function does happens after what other threads did with the file
 * before. SYNC records that order, because operations that only use the buffer are not recorded.
 * (Recording an acquisition of the file's lock instead would not allow more schedules: the C
 * library's own operations on that lock are not seen, so the lock would have to keep its recorded
 * order anyway.)
 */
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <errno.h>

/* The cookie that the C library passes to the functions below. */
struct cookie_wrapper {
	void *cookie;
	cookie_io_functions_t functions;
};

static void record_sync(uintptr_t pc)
{
	int error = errno;

	if (record_on())
		record(EV_SYNC, pc, (struct record_fields){ 0 });
	errno = error;
}

/*
 * Defines a function that calls the program's function `member` with the program's cookie and the
 * other arguments.
 */
#define COOKIE_FUNCTION(type, name, member, parameters)                                            \
	static type name(void *given, PARAMETERS parameters)                                       \
	{                                                                                          \
		struct cookie_wrapper *wrapper = given;                                            \
		record_sync(RECORD_CALLER);                                                        \
		return wrapper->functions.member(wrapper->cookie, ARGUMENTS parameters);           \
	}

COOKIE_FUNCTION(ssize_t, read_cookie, read, (char *, to, size_t, size))
COOKIE_FUNCTION(ssize_t, write_cookie, write, (const char *, from, size_t, size))
COOKIE_FUNCTION(int, seek_cookie, seek, (off64_t *, offset, int, whence))

static int close_cookie(void *given)
{
	struct cookie_wrapper wrapper = *(struct cookie_wrapper *)given;

	real()->free(given);
	if (!wrapper.functions.close)
		return 0;
	record_sync(RECORD_CALLER);
	return wrapper.functions.close(wrapper.cookie);
}

/* For functions that the program does not supply, the C library has defaults: pass NULL. */
static cookie_io_functions_t functions_for(const cookie_io_functions_t *program)
{
	return (cookie_io_functions_t){
		.read = program->read ? read_cookie : NULL,
		.write = program->write ? write_cookie : NULL,
		.seek = program->seek ? seek_cookie : NULL,
		.close = close_cookie,
	};
}

SOOTH_API FILE *fopencookie(void *restrict cookie, const char *restrict mode,
			    cookie_io_functions_t functions)
{
	struct cookie_wrapper *wrapper = record_on() ? real()->malloc(sizeof(*wrapper)) : NULL;

	if (!wrapper)
		return real()->fopencookie(cookie, mode, functions);
	*wrapper = (struct cookie_wrapper){ cookie, functions };
	FILE *file = real()->fopencookie(wrapper, mode, functions_for(&functions));
	if (!file) {
		int error = errno;
		real()->free(wrapper);
		errno = error;
	}
	return file;
}
