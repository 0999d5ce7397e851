/*
 * Reading and writing by descriptors: pipes, sockets, eventfds, files. transfer.h says what is
 * recorded. The reads and writes that the C library makes for stdio do not call these functions.
 */
#include "runtime/host/interposer.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/io/kernel_state.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/io/transfer.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

/*
 * A buffer as a vector of one part. It exists until the end of the enclosing block, and so until
 * after the call.
 */
#define ONE(at, size) &(const struct iovec){ (void *)(uintptr_t)(at), size }, 1

/* ---- taking ---------------------------------------------------------------------------------- */

/* transfer_took() for calls that may find the end of standard input. */
static void took_input(struct transfer *call, ssize_t result, const struct iovec *to, int count)
{
	if (result == 0 && call->fd == STDIN_FILENO)
		sched_input_ended();
	transfer_took(call, result, to, count);
}

static void took_or_peeked(struct transfer *call, int flags, ssize_t result, const struct iovec *to,
			   int count)
{
	if (flags & MSG_PEEK)
		transfer_peeked(call, result, to, count);
	else
		transfer_took(call, result, to, count);
}

/*
 * Returns the number of bytes in all messages, or -1. The addresses of the bytes are not recorded.
 */
static ssize_t bytes_of(const struct mmsghdr *messages, int count)
{
	ssize_t bytes = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++)
		bytes += messages[i].msg_len;
	return bytes;
}

/*
 * An interposer that takes bytes out of `fd`. The expression `took` ends the transfer `call`; it
 * passes the number of bytes (or -1) and the vectors that the kernel wrote to, with their number.
 */
#define TAKE(name, parameters, type, result, fd, call, took)                                       \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);             \
		type result;                                                                       \
		do                                                                                 \
			result = real()->name(ARGUMENTS parameters);                               \
		while (result < 0 && transfer_must_retry(&call));                                  \
		took;                                                                              \
		return result;                                                                     \
	}

AND_CHECKED(TAKE, read, (int, fd, void *, to, size_t, size), ssize_t, result, fd, call,
	    took_input(&call, result, ONE(to, size)))
TAKE(readv, (int, fd, const struct iovec *, to, int, count), ssize_t, result, fd, call,
     took_input(&call, result, to, count))
TAKE(recv, (int, fd, void *, to, size_t, size, int, flags), ssize_t, result, fd, call,
     took_or_peeked(&call, flags, result, ONE(to, size)))
TAKE(__recv_chk, (int, fd, void *, to, size_t, size, size_t, room, int, flags), ssize_t, result, fd,
     call, took_or_peeked(&call, flags, result, ONE(to, size)))
TAKE(recvfrom,
     (int, fd, void *, to, size_t, size, int, flags, __SOCKADDR_ARG, from, socklen_t *, length),
     ssize_t, result, fd, call, took_or_peeked(&call, flags, result, ONE(to, size)))
TAKE(__recvfrom_chk,
     (int, fd, void *, to, size_t, size, size_t, room, int, flags, __SOCKADDR_ARG, from,
      socklen_t *, length),
     ssize_t, result, fd, call, took_or_peeked(&call, flags, result, ONE(to, size)))
/* If the call failed, `message` may be an invalid address. */
TAKE(recvmsg, (int, fd, struct msghdr *, message, int, flags), ssize_t, result, fd, call,
     took_or_peeked(&call, flags, result, result < 0 ? NULL : message->msg_iov,
		    result < 0 ? 0 : (int)message->msg_iovlen))
TAKE(recvmmsg,
     (int, fd, struct mmsghdr *, messages, unsigned, count, int, flags, struct timespec *, until),
     int, result, fd, call, transfer_took(&call, bytes_of(messages, result), NULL, 0))
TAKE(eventfd_read, (int, fd, eventfd_t *, value), int, result, fd, call,
     transfer_took(&call, result == 0 ? (ssize_t)sizeof(*value) : -1, ONE(value, sizeof(*value))))

/* TIOCOUTQ stores how many bytes the other end has not yet read. */
static int count_unread(int fd, void *argument, uintptr_t pc)
{
	UNKNOWN_WAIT_BEGIN(call, pc);

	descriptor_use(fd, pc);
	int result = real()->ioctl(fd, TIOCOUTQ, argument);
	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
	return result;
}

/* FIONREAD stores how many bytes can be read. If there are any, another call has put them there. */
SOOTH_API int ioctl(int fd, unsigned long request, ...)
{
	va_list more;

	va_start(more, request);
	void *argument = va_arg(more, void *);
	va_end(more);
	if (request == TIOCOUTQ)
		return count_unread(fd, argument, RECORD_CALLER);
	if (request != FIONREAD) {
		descriptor_use(fd, RECORD_CALLER);
		return real()->ioctl(fd, request, argument);
	}
	const struct iovec one = { argument, sizeof(int) };
	struct transfer call TRANSFER_CALL = { .pc = RECORD_CALLER, .ends = descriptor_ends(fd) };
	int result, *bytes = argument;
	descriptor_use(fd, RECORD_CALLER);
	transfer_snapshot(&call);
	do
		result = real()->ioctl(fd, request, argument);
	while (result == 0 && *bytes == 0 && transfer_found_nothing(&call));
	call.to = &one;
	call.count = 1;
	call.written = result < 0 ? 0 : sizeof(int);
	if (result < 0 || *bytes == 0 || transfer_is_stored(fd))
		call.how = TRANSFER_NOTHING;
	else
		call.how = channel_is_known(call.ends.in) ? TRANSFER_RECEIVED : TRANSFER_WAITED;
	return result;
}

/* An interposer that reads from an offset in a file to `to`. No thread waits in such a call. */
#define TAKE_AT(name, parameters, fd, to)                                                          \
	SOOTH_API ssize_t name(PARAMETERS parameters)                                              \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		ssize_t result = real()->name(ARGUMENTS parameters);                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		if (result >= 0)                                                                   \
			kernel_state_file_seen(fd, RECORD_CALLER);                                 \
		if (result > 0)                                                                    \
			transfer_wrote(to, (size_t)result, RECORD_CALLER);                         \
		return result;                                                                     \
	}

AND_CHECKED(TAKE_AT, pread, (int, fd, void *, to, size_t, size, off_t, offset), fd, to)
AND_CHECKED(TAKE_AT, pread64, (int, fd, void *, to, size_t, size, off64_t, offset), fd, to)

/* ---- putting: waits if there is no room, until another thread has read ----------------------- */

/* Can the vectors be read? If not, the kernel will refuse the call. */
static bool is_vector(const struct iovec *parts, size_t count)
{
	return count <= IOV_MAX && safe_read_can_read(parts, count * sizeof(*parts));
}

/*
 * An interposer that puts bytes into `fd`, unless the real function will refuse its arguments
 * (`valid` is false). The last arguments are the vectors and their number; `put` is the number of
 * bytes that were put in, or -1.
 */
#define PUT(name, parameters, type, result, fd, valid, put, ...)                                   \
	SOOTH_API type name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		if (!(valid))                                                                      \
			return real()->name(ARGUMENTS parameters);                                 \
		struct transfer call TRANSFER_CALL = transfer_put(fd, __VA_ARGS__, RECORD_CALLER); \
		type result = real()->name(ARGUMENTS parameters);                                  \
		transfer_did_put(&call, put);                                                      \
		return result;                                                                     \
	}

PUT(write, (int, fd, const void *, bytes, size_t, size), ssize_t, result, fd, true, result,
    ONE(bytes, size))
PUT(writev, (int, fd, const struct iovec *, bytes, int, count), ssize_t, result, fd,
    is_vector(bytes, (size_t)count), result, bytes, count)
PUT(send, (int, fd, const void *, bytes, size_t, size, int, flags), ssize_t, result, fd, true,
    result, ONE(bytes, size))
PUT(sendto,
    (int, fd, const void *, bytes, size_t, size, int, flags, __CONST_SOCKADDR_ARG, to, socklen_t,
     length),
    ssize_t, result, fd, true, result, ONE(bytes, size))
PUT(eventfd_write, (int, fd, eventfd_t, value), int, result, fd, true,
    result == 0 ? (ssize_t)sizeof(value) : -1, ONE(&value, sizeof(value)))

/* If a message contains descriptors, they are ends of channels in another process from then on. */
SOOTH_API ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!safe_read_can_read(message, sizeof(*message)) ||
	    !is_vector(message->msg_iov, message->msg_iovlen))
		return real()->sendmsg(fd, message, flags);
	if (message->msg_controllen)
		channel_lose_all();
	struct transfer call TRANSFER_CALL =
		transfer_put(fd, message->msg_iov, (int)message->msg_iovlen, RECORD_CALLER);
	call.unsure = true; /* there may not have been room for all bytes */
	ssize_t result = real()->sendmsg(fd, message, flags);
	transfer_did_put(&call, result);
	return result;
}

/* An interposer that writes `size` bytes from `from` to an offset in a file. */
#define PUT_AT(name, parameters, fd, from, size)                                                   \
	SOOTH_API ssize_t name(PARAMETERS parameters)                                              \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		descriptor_use(fd, RECORD_CALLER);                                                 \
		transfer_reads(from, size, RECORD_CALLER);                                         \
		kernel_state_file_changes(fd, RECORD_CALLER);                                      \
		ssize_t result = real()->name(ARGUMENTS parameters);                               \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		return result;                                                                     \
	}

PUT_AT(pwrite, (int, fd, const void *, from, size_t, size, off_t, offset), fd, from, size)
PUT_AT(pwrite64, (int, fd, const void *, from, size_t, size, off64_t, offset), fd, from, size)

/* ---- calls that move bytes unseen ------------------------------------------------------------ */

SOOTH_API int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);

	channel_lose_all(); /* the messages may contain descriptors */
	int result = real()->sendmmsg(fd, messages, count, flags);
	call.how = UNKNOWN_WAIT_NOTHING;
	return result;
}

/* An interposer that moves bytes between two descriptors inside the kernel. */
#define MOVE(name, parameters, one, other)                                                         \
	SOOTH_API ssize_t name(PARAMETERS parameters)                                              \
	{                                                                                          \
		UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);                                           \
		descriptor_lose(one);                                                              \
		descriptor_lose(other);                                                            \
		kernel_state_file_changes(one, RECORD_CALLER);                                     \
		ssize_t result = real()->name(ARGUMENTS parameters);                               \
		call.how = result > 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;                \
		return result;                                                                     \
	}

MOVE(splice,
     (int, in, off64_t *, in_at, int, out, off64_t *, out_at, size_t, size, unsigned, flags), in,
     out)
MOVE(tee, (int, in, int, out, size_t, size, unsigned, flags), in, out)
MOVE(vmsplice, (int, fd, const struct iovec *, vector, size_t, count, unsigned, flags), fd, fd)
MOVE(sendfile, (int, out, int, in, off_t *, at, size_t, size), out, in)
MOVE(sendfile64, (int, out, int, in, off64_t *, at, size_t, size), out, in)
