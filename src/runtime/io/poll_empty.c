/* Records for which descriptors poll and select found nothing to read or no room to write. */
#include "runtime/io/poll_empty.h"

#include "runtime/io/descriptor.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"

#include <errno.h>

#define TO_READ (POLLIN | POLLRDNORM)
#define TO_WRITE (POLLOUT | POLLWRNORM)
#define ERROR_OR_END                                                                               \
	(POLLERR | POLLHUP | POLLNVAL | POLLRDHUP) /* poll reports these even if not requested */

static void check_descriptor(struct channel_snapshot *snapshot, int fd, short events)
{
	if (events & TO_READ)
		channel_snapshot_check(snapshot, descriptor_ends(fd).in);
}

/*
 * Records the result for one descriptor: `events` were asked about, and the call reported `told`.
 * Returns false if the order is not known.
 */
static bool record_empty(const struct channel_snapshot *snapshot, int fd, short events, short told,
			 uintptr_t pc)
{
	struct descriptor_ends ends = descriptor_ends(fd);
	bool sure = true;

	if (events & TO_READ && !(told & (TO_READ | ERROR_OR_END)))
		sure = channel_found_nothing(snapshot, ends.in, true, pc);
	if (events & TO_WRITE && !(told & (TO_WRITE | ERROR_OR_END)))
		sure &= channel_found_no_room(snapshot, ends.out, pc);
	return sure;
}

/* ---- poll ------------------------------------------------------------------------------------ */

#define FDS_MOST (1u << 20) /* the kernel refuses more, whatever the resource limits are */

static void check_polled(struct channel_snapshot *snapshot, const struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		check_descriptor(snapshot, fds[i].fd, fds[i].events);
}

struct channel_snapshot poll_empty_before_poll(const struct pollfd *fds, nfds_t count)
{
	struct channel_snapshot snapshot = channel_snapshot_take();

	if (count <= FDS_MOST && safe_read_can_read(fds, count * sizeof(*fds)))
		check_polled(&snapshot, fds, count);
	return snapshot;
}

static bool record_polled(const struct channel_snapshot *snapshot, const struct pollfd *fds,
			  nfds_t count, uintptr_t pc)
{
	bool sure = true;

	for (nfds_t i = 0; i < count; i++)
		sure &= record_empty(snapshot, fds[i].fd, fds[i].events, fds[i].revents, pc);
	return sure;
}

int poll_empty_after_poll(struct channel_snapshot *snapshot, int result, struct pollfd *fds,
			  nfds_t count, uintptr_t pc)
{
	int error = errno;

	while (result >= 0 && !record_polled(snapshot, fds, count, pc)) {
		channel_snapshot_retry(snapshot);
		check_polled(snapshot, fds, count);
		int again = real()->poll(fds, count, 0);
		if (again < 0)
			break;
		result = again;
	}
	errno = error;
	return result;
}

/* ---- select ---------------------------------------------------------------------------------- */

static short asked_for(const struct poll_empty_sets *asked, int fd)
{
	return (short)((FD_ISSET(fd, &asked->in) ? POLLIN : 0) |
		       (FD_ISSET(fd, &asked->out) ? POLLOUT : 0));
}

static void check_selected(struct poll_empty_sets *asked, int count)
{
	for (int fd = 0; fd < count; fd++)
		check_descriptor(&asked->snapshot, fd, asked_for(asked, fd));
}

static bool is_usual(int count)
{
	return count >= 0 && count <= FD_SETSIZE;
}

bool poll_empty_copy_set(fd_set *to, const fd_set *from, int count)
{
	size_t words = ((size_t)count + NFDBITS - 1) / NFDBITS;

	FD_ZERO(to);
	return !from || safe_read(to, from, words * sizeof(fd_mask));
}

static void restore_set(fd_set *to, const fd_set *from, int count)
{
	for (int fd = 0; to && fd < count; fd++) {
		if (FD_ISSET(fd, from))
			FD_SET(fd, to);
		else
			FD_CLR(fd, to);
	}
}

void poll_empty_before_select(struct poll_empty_sets *asked, int count, const fd_set *in,
			      const fd_set *out, const fd_set *odd)
{
	if (!is_usual(count))
		return;
	poll_empty_copy_set(&asked->in, in, count);
	poll_empty_copy_set(&asked->out, out, count);
	poll_empty_copy_set(&asked->odd, odd, count);
	asked->snapshot = channel_snapshot_take();
	check_selected(asked, count);
}

static bool record_selected(const struct poll_empty_sets *asked, int count, const fd_set *in,
			    const fd_set *out, uintptr_t pc)
{
	bool sure = true;

	for (int fd = 0; fd < count; fd++) {
		short told = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
				     (out && FD_ISSET(fd, out) ? POLLOUT : 0));

		sure &= record_empty(&asked->snapshot, fd, asked_for(asked, fd), told, pc);
	}
	return sure;
}

int poll_empty_after_select(struct poll_empty_sets *asked, int result, int count, fd_set *in,
			    fd_set *out, fd_set *odd, uintptr_t pc)
{
	int error = errno;

	while (result >= 0 && is_usual(count) && !record_selected(asked, count, in, out, pc)) {
		struct timeval none = { 0 };

		channel_snapshot_retry(&asked->snapshot);
		check_selected(asked, count);
		restore_set(in, &asked->in, count);
		restore_set(out, &asked->out, count);
		restore_set(odd, &asked->odd, count);
		result = real()->select(count, in, out, odd, &none);
	}
	if (result >= 0)
		errno = error;
	return result;
}
