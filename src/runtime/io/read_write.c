/*
 * Reading and writing by descriptors: pipes, sockets, eventfds, files. See transfer.h for what is
 * recorded. What the C library does by itself (stdio) never comes here.
 */
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

/* A buffer as a vector: what is told of it to the end of the call must last as long. */
#define ONE(at, size) const struct iovec one = { (void *)(uintptr_t)(at), size };

/* ---- taking ------------------------------------------------------------------------------------- */

/* At the end: the vectors that the kernel writes to, and how many; `prepare` may declare them. */
#define TAKE(type, name, parameters, arguments, prepare, ...)                                      \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		prepare struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);     \
		type result;                                                                       \
		do                                                                                 \
			result = real()->name arguments;                                           \
		while (result < 0 && transfer_takes_again(&call));                                 \
		if (result == 0 && fd == STDIN_FILENO)                                             \
			sched_input_ended();                                                       \
		transfer_took(&call, result, __VA_ARGS__);                                         \
		return result;                                                                     \
	}

/* The same with flags that may leave the bytes there, or tell how many there were. */
#define TAKE_FLAGGED(name, parameters, arguments, prepare, ...)                                    \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		prepare struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);     \
		ssize_t result;                                                                    \
		do                                                                                 \
			result = real()->name arguments;                                           \
		while (result < 0 && transfer_takes_again(&call));                                 \
		if (flags & MSG_PEEK)                                                              \
			transfer_looked(&call, result, __VA_ARGS__);                               \
		else                                                                               \
			transfer_took(&call, result, __VA_ARGS__);                                 \
		return result;                                                                     \
	}

TAKE(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), ONE(to, size), &one, 1)
TAKE(ssize_t, __read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room),
     ONE(to, size), &one, 1)
TAKE(ssize_t, readv, (int fd, const struct iovec *to, int count), (fd, to, count), , to, count)
TAKE_FLAGGED(recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), ONE(to, size),
	     &one, 1)
TAKE_FLAGGED(__recv_chk, (int fd, void *to, size_t size, size_t room, int flags),
	     (fd, to, size, room, flags), ONE(to, size), &one, 1)
TAKE_FLAGGED(recvfrom,
	     (int fd, void *restrict to, size_t size, int flags, __SOCKADDR_ARG from,
	      socklen_t *restrict length),
	     (fd, to, size, flags, from, length), ONE(to, size), &one, 1)
TAKE_FLAGGED(__recvfrom_chk,
	     (int fd, void *restrict to, size_t size, size_t room, int flags, __SOCKADDR_ARG from,
	      socklen_t *restrict length),
	     (fd, to, size, room, flags, from, length), ONE(to, size), &one, 1)
/* Where it failed, the message may be nowhere. */
TAKE_FLAGGED(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), ,
	     result < 0 ? NULL : message->msg_iov, result < 0 ? 0 : (int)message->msg_iovlen)

/* Several messages: their bytes are counted, where they went is not looked at. */
SOOTH_API int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		       struct timespec *until)
{
	struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);
	int result;

	do
		result = real()->recvmmsg(fd, messages, count, flags, until);
	while (result < 0 && transfer_takes_again(&call));
	ssize_t bytes = result < 0 ? -1 : 0;

	for (int i = 0; i < result; i++)
		bytes += messages[i].msg_len;
	transfer_took(&call, bytes, NULL, 0);
	return result;
}

SOOTH_API int eventfd_read(int fd, eventfd_t *value)
{
	const struct iovec one = { value, sizeof(*value) };
	struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);
	int result;

	do
		result = real()->eventfd_read(fd, value);
	while (result < 0 && transfer_takes_again(&call));
	transfer_took(&call, result == 0 ? (ssize_t)sizeof(*value) : -1, &one, 1);
	return result;
}

/* How much there is: somebody put it there. */
SOOTH_API int ioctl(int fd, unsigned long request, ...)
{
	va_list more;

	va_start(more, request);
	void *argument = va_arg(more, void *);
	va_end(more);
	if (request != FIONREAD) {
		descriptor_use(fd, RECORD_CALLER);
		return real()->ioctl(fd, request, argument);
	}
	const struct iovec one = { argument, sizeof(int) };
	struct transfer call TRANSFER_CALL = { .pc = RECORD_CALLER, .ends = descriptor_ends(fd) };
	int result, *bytes = argument;
	descriptor_use(fd, RECORD_CALLER);
	transfer_looks(&call);
	do
		result = real()->ioctl(fd, request, argument);
	while (result == 0 && *bytes == 0 && transfer_looks_again(&call));
	call.to = &one;
	call.count = 1;
	call.written = result < 0 ? 0 : sizeof(int);
	if (result < 0 || *bytes == 0 || transfer_is_stored(fd))
		call.how = TRANSFER_NOTHING;
	else
		call.how = channel_is_known(call.ends.in) ? TRANSFER_RECEIVED : TRANSFER_WAITED;
	return result;
}

/* At a place of a file: nobody waits. */
#define TAKE_AT(name, parameters, arguments, at)                                                   \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		ssize_t result = real()->name arguments;                                           \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (result > 0)                                                                    \
			transfer_wrote(at, (size_t)result, RECORD_CALLER);                         \
		return result;                                                                     \
	}

TAKE_AT(pread, (int fd, void *to, size_t size, off_t offset), (fd, to, size, offset), to)
TAKE_AT(pread64, (int fd, void *to, size_t size, off64_t offset), (fd, to, size, offset), to)
TAKE_AT(__pread_chk, (int fd, void *to, size_t size, off_t offset, size_t room),
	(fd, to, size, offset, room), to)
TAKE_AT(__pread64_chk, (int fd, void *to, size_t size, off64_t offset, size_t room),
	(fd, to, size, offset, room), to)

/* ---- putting: waits where there is no room until somebody has read --------------------------------- */

#define PUT(name, parameters, arguments, prepare, ...)                                             \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		prepare struct transfer call TRANSFER_CALL =                                       \
			transfer_put(fd, __VA_ARGS__, RECORD_CALLER);                              \
		ssize_t result = real()->name arguments;                                           \
		transfer_did_put(&call, result);                                                   \
		return result;                                                                     \
	}

PUT(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), ONE(bytes, size), &one, 1)
/* Does it have parts at all? Else the kernel refuses the call, and nothing comes of it. */
static bool is_vector(const struct iovec *parts, size_t count)
{
	return count <= IOV_MAX && safe_read_can_read(parts, count * sizeof(*parts));
}

PUT(writev, (int fd, const struct iovec *bytes, int count), (fd, bytes, count),
    if (!is_vector(bytes, (size_t)count)) return real()->writev(fd, bytes, count);
    , bytes, count)
PUT(send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags),
    ONE(bytes, size), &one, 1)
PUT(sendto,
    (int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG to, socklen_t length),
    (fd, bytes, size, flags, to, length), ONE(bytes, size), &one, 1)

/* Descriptors that are sent are ends of channels somewhere else from then on. */
SOOTH_API ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!safe_read_can_read(message, sizeof(*message)) ||
	    !is_vector(message->msg_iov, message->msg_iovlen))
		return real()->sendmsg(fd, message, flags);
	if (message->msg_controllen)
		channel_lose_all();
	struct transfer call TRANSFER_CALL =
		transfer_put(fd, message->msg_iov, (int)message->msg_iovlen, RECORD_CALLER);
	call.full = true; /* whether there was room for all of it is not known */
	ssize_t result = real()->sendmsg(fd, message, flags);
	transfer_did_put(&call, result);
	return result;
}

SOOTH_API int eventfd_write(int fd, eventfd_t value)
{
	const struct iovec one = { &value, sizeof(value) };
	struct transfer call TRANSFER_CALL = transfer_put(fd, &one, 1, RECORD_CALLER);
	int result = real()->eventfd_write(fd, value);

	transfer_did_put(&call, result == 0 ? (ssize_t)sizeof(value) : -1);
	return result;
}

#define PUT_AT(name, parameters, arguments)                                                        \
	SOOTH_API ssize_t name parameters                                                          \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		transfer_reads(from, size, RECORD_CALLER);                                         \
		ssize_t result = real()->name arguments;                                           \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		return result;                                                                     \
	}

PUT_AT(pwrite, (int fd, const void *from, size_t size, off_t offset), (fd, from, size, offset))
PUT_AT(pwrite64, (int fd, const void *from, size_t size, off64_t offset), (fd, from, size, offset))

/* ---- what moves bytes past us ----------------------------------------------------------------------- */

SOOTH_API int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };

	channel_lose_all(); /* there may be descriptors in it */
	int result = real()->sendmmsg(fd, messages, count, flags);
	call.how = UNKNOWN_WAIT_NOTHING;
	return result;
}

#define MOVE(type, name, parameters, arguments, one, other)                                        \
	SOOTH_API type name parameters                                                             \
	{                                                                                          \
		struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER,                 \
								    UNKNOWN_WAIT_CANCELLED };      \
		descriptor_lose(one);                                                              \
		descriptor_lose(other);                                                            \
		type result = real()->name arguments;                                              \
		call.how = result > 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;                \
		return result;                                                                     \
	}

MOVE(ssize_t, splice,
     (int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags),
     (in, in_at, out, out_at, size, flags), in, out)
MOVE(ssize_t, tee, (int in, int out, size_t size, unsigned flags), (in, out, size, flags), in, out)
MOVE(ssize_t, vmsplice, (int fd, const struct iovec *vector, size_t count, unsigned flags),
     (fd, vector, count, flags), fd, fd)
MOVE(ssize_t, sendfile, (int out, int in, off_t *at, size_t size), (out, in, at, size), out, in)
MOVE(ssize_t, sendfile64, (int out, int in, off64_t *at, size_t size), (out, in, at, size), out, in)
