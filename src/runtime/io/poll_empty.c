#include "runtime/io/poll_empty.h"

#include "runtime/io/descriptor.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"

#include <errno.h>

#define TO_READ (POLLIN | POLLRDNORM)
#define TO_WRITE (POLLOUT | POLLWRNORM)
#define AT_AN_END (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP) /* told unasked */

static void look_at(struct channel_look *look, int fd, short events)
{
	if (events & TO_READ)
		channel_look_at(look, descriptor_ends(fd).in);
}

/* Of one descriptor: false when it is not sure. */
static bool record_silence(const struct channel_look *look, int fd, short events, short told,
			   uintptr_t pc)
{
	struct descriptor_ends ends = descriptor_ends(fd);
	bool sure = true;

	if (events & TO_READ && !(told & (TO_READ | AT_AN_END)))
		sure = channel_found_nothing(look, ends.in, true, pc);
	if (events & TO_WRITE && !(told & (TO_WRITE | AT_AN_END)))
		sure &= channel_found_no_room(look, ends.out, pc);
	return sure;
}

/* ---- poll ----------------------------------------------------------------------------------------- */

#define FDS_MOST (1u << 20) /* more is refused, whatever the limits are */

static void look_at_polled(struct channel_look *look, const struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		look_at(look, fds[i].fd, fds[i].events);
}

struct channel_look poll_empty_of_poll(const struct pollfd *fds, nfds_t count)
{
	struct channel_look look = channel_look();

	if (count <= FDS_MOST && safe_read_can_read(fds, count * sizeof(*fds)))
		look_at_polled(&look, fds, count);
	return look;
}

static bool record_polled(const struct channel_look *look, const struct pollfd *fds, nfds_t count,
			  uintptr_t pc)
{
	bool sure = true;

	for (nfds_t i = 0; i < count; i++)
		sure &= record_silence(look, fds[i].fd, fds[i].events, fds[i].revents, pc);
	return sure;
}

int poll_empty_polled(struct channel_look *look, int result, struct pollfd *fds, nfds_t count,
		      uintptr_t pc)
{
	int error = errno;

	while (result >= 0 && !record_polled(look, fds, count, pc)) {
		channel_look_again(look);
		look_at_polled(look, fds, count);
		int again = real()->poll(fds, count, 0);
		if (again < 0)
			break;
		result = again;
	}
	errno = error;
	return result;
}

/* ---- select --------------------------------------------------------------------------------------- */

static short asked_for(const struct poll_empty_sets *asked, int fd)
{
	return (short)((FD_ISSET(fd, &asked->in) ? POLLIN : 0) |
		       (FD_ISSET(fd, &asked->out) ? POLLOUT : 0));
}

static void look_at_selected(struct poll_empty_sets *asked, int count)
{
	for (int fd = 0; fd < count; fd++)
		look_at(&asked->look, fd, asked_for(asked, fd));
}

static bool is_usual(int count)
{
	return count >= 0 && count <= FD_SETSIZE;
}

/* The sets may be shorter than usual, or nowhere, which the call will say: what lies behind is not looked at. */
static void copy(fd_set *to, const fd_set *from, int count)
{
	size_t words = ((size_t)count + NFDBITS - 1) / NFDBITS;

	FD_ZERO(to);
	if (from)
		safe_read(to, from, words * sizeof(fd_mask));
}

static void give_back(fd_set *to, const fd_set *from, int count)
{
	for (int fd = 0; to && fd < count; fd++) {
		if (FD_ISSET(fd, from))
			FD_SET(fd, to);
		else
			FD_CLR(fd, to);
	}
}

void poll_empty_of_select(struct poll_empty_sets *asked, int count, const fd_set *in,
			  const fd_set *out, const fd_set *odd)
{
	if (!is_usual(count))
		return;
	copy(&asked->in, in, count);
	copy(&asked->out, out, count);
	copy(&asked->odd, odd, count);
	asked->look = channel_look();
	look_at_selected(asked, count);
}

static bool record_selected(const struct poll_empty_sets *asked, int count, const fd_set *in,
			    const fd_set *out, uintptr_t pc)
{
	bool sure = true;

	for (int fd = 0; fd < count; fd++) {
		short told = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
				     (out && FD_ISSET(fd, out) ? POLLOUT : 0));

		sure &= record_silence(&asked->look, fd, asked_for(asked, fd), told, pc);
	}
	return sure;
}

int poll_empty_selected(struct poll_empty_sets *asked, int result, int count, fd_set *in,
			fd_set *out, fd_set *odd, uintptr_t pc)
{
	int error = errno;

	while (result >= 0 && is_usual(count) && !record_selected(asked, count, in, out, pc)) {
		struct timeval none = { 0 };

		channel_look_again(&asked->look);
		look_at_selected(asked, count);
		give_back(in, &asked->in, count);
		give_back(out, &asked->out, count);
		give_back(odd, &asked->odd, count);
		result = real()->select(count, in, out, odd, &none);
	}
	if (result >= 0)
		errno = error;
	return result;
}
