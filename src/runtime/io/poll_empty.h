/*
 * Records what a call of `poll` or `select` did not report: descriptors with nothing to take out or
 * no room to put something in. That result, too, has an order with other threads' calls
 * (channel.h).
 *
 *	struct channel_snapshot snapshot = poll_empty_before_poll(fds, count);
 *	int result = real()->poll(fds, count, timeout);
 *	result = poll_empty_after_poll(&snapshot, result, fds, count, pc);
 *
 * poll_empty_after_poll() records the result. It repeats the call first if the order is not known.
 * All functions keep errno.
 */
#ifndef RUNTIME_IO_POLL_EMPTY_H
#define RUNTIME_IO_POLL_EMPTY_H

#include "runtime/io/channel.h"

#include <poll.h>
#include <sys/select.h>

struct channel_snapshot poll_empty_before_poll(const struct pollfd *fds, nfds_t count);
int poll_empty_after_poll(struct channel_snapshot *snapshot, int result, struct pollfd *fds,
			  nfds_t count, uintptr_t pc);

/*
 * Copies of the arguments of `select`, which overwrites them with its result. Sets of more than
 * FD_SETSIZE descriptors are ignored.
 */
struct poll_empty_sets {
	fd_set in, out, odd;
	struct channel_snapshot snapshot;
};
void poll_empty_before_select(struct poll_empty_sets *asked, int count, const fd_set *in,
			      const fd_set *out, const fd_set *odd);
int poll_empty_after_select(struct poll_empty_sets *asked, int result, int count, fd_set *in,
			    fd_set *out, fd_set *odd, uintptr_t pc);

/*
 * Copies the part of a set that a call for `count` descriptors reads; the rest of `from` may not
 * exist. Returns false if that part cannot be read. NULL counts as an empty set.
 */
bool poll_empty_copy_set(fd_set *to, const fd_set *from, int count);

#endif
