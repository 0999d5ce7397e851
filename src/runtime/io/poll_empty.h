/*
 * What `poll` and `select` were asked for and did not tell of: there was nothing to take out, or no room.
 * That is an answer as any other (channel.h).
 *
 *	struct channel_look look = poll_empty_of_poll(fds, count);
 *	int result = real()->poll(fds, count, timeout);
 *	result = poll_empty_polled(&look, result, fds, count, pc);
 *
 * records it, and asks again where that is not sure. All of it keeps errno.
 */
#ifndef RUNTIME_IO_POLL_EMPTY_H
#define RUNTIME_IO_POLL_EMPTY_H

#include "runtime/io/channel.h"

#include <poll.h>
#include <sys/select.h>

struct channel_look poll_empty_of_poll(const struct pollfd *fds, nfds_t count);
int poll_empty_polled(struct channel_look *look, int result, struct pollfd *fds, nfds_t count,
		      uintptr_t pc);

/* `select` writes its answer where it was asked. Sets that are longer than usual are not looked at. */
struct poll_empty_sets {
	fd_set in, out, odd;
	struct channel_look look;
};
void poll_empty_of_select(struct poll_empty_sets *asked, int count, const fd_set *in,
			  const fd_set *out, const fd_set *odd);
int poll_empty_selected(struct poll_empty_sets *asked, int result, int count, fd_set *in,
			fd_set *out, fd_set *odd, uintptr_t pc);

#endif
