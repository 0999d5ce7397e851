/*
 * fopencookie: the program's own functions are called by stdio, under the stream's lock and when its buffer
 * asks for it. What they do is behind what others did with the stream before: SYNC, since what was only
 * put into the buffer left no trace. (A lock that the library operates on unseen keeps its order and is
 * behind all before: recorded as that lock it would be no weaker.)
 */
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"

#include <errno.h>

/* The cookie that the library gets. */
struct wrapped {
	void *cookie;
	cookie_io_functions_t functions;
};

static void come_in(uintptr_t pc)
{
	int error = errno;

	if (record_on())
		record(EV_SYNC, pc, (struct record_fields){ 0 });
	errno = error;
}

static ssize_t read_cookie(void *given, char *to, size_t size)
{
	struct wrapped *wrapped = given;

	come_in(RECORD_CALLER);
	return wrapped->functions.read(wrapped->cookie, to, size);
}

static ssize_t write_cookie(void *given, const char *from, size_t size)
{
	struct wrapped *wrapped = given;

	come_in(RECORD_CALLER);
	return wrapped->functions.write(wrapped->cookie, from, size);
}

static int seek_cookie(void *given, off64_t *offset, int whence)
{
	struct wrapped *wrapped = given;

	come_in(RECORD_CALLER);
	return wrapped->functions.seek(wrapped->cookie, offset, whence);
}

static int close_cookie(void *given)
{
	struct wrapped wrapped = *(struct wrapped *)given;

	real()->free(given);
	if (!wrapped.functions.close)
		return 0;
	come_in(RECORD_CALLER);
	return wrapped.functions.close(wrapped.cookie);
}

/* What the program does not have the library does without, in ways of its own. */
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
	struct wrapped *wrapped = record_on() ? real()->malloc(sizeof(*wrapped)) : NULL;

	if (!wrapped)
		return real()->fopencookie(cookie, mode, functions);
	*wrapped = (struct wrapped){ cookie, functions };
	FILE *file = real()->fopencookie(wrapped, mode, functions_for(&functions));
	if (!file) {
		int error = errno;
		real()->free(wrapped);
		errno = error;
	}
	return file;
}
