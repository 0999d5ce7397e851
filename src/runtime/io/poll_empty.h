/*
 * Descriptors that `poll` or `select` was asked about but did not report: there was nothing to take
 * out, or no room. That is an answer, too (channel.h).
 *
 *	struct channel_snapshot snapshot = poll_empty_before_poll(fds, count);
 *	int result = real()->poll(fds, count, timeout);
 *	result = poll_empty_after_poll(&snapshot, result, fds, count, pc);
 *
 * records it, and repeats the call if the order is not known. All functions keep errno.
 */
#ifndef RUNTIME_IO_POLL_EMPTY_H
#define RUNTIME_IO_POLL_EMPTY_H

#include "runtime/io/channel.h"

#include <poll.h>
#include <sys/select.h>

struct channel_snapshot poll_empty_before_poll(const struct pollfd *fds, nfds_t count);
int poll_empty_after_poll(struct channel_snapshot *snapshot, int result, struct pollfd *fds,
			  nfds_t count, uintptr_t pc);

/* `select` overwrites its arguments with the answer. Sets larger than usual are ignored. */
struct poll_empty_sets {
	fd_set in, out, odd;
	struct channel_snapshot snapshot;
};
void poll_empty_before_select(struct poll_empty_sets *asked, int count, const fd_set *in,
			      const fd_set *out, const fd_set *odd);
int poll_empty_after_select(struct poll_empty_sets *asked, int result, int count, fd_set *in,
			    fd_set *out, fd_set *odd, uintptr_t pc);

/*
 * Copies what a call for `count` descriptors reads of a set; the rest need not exist. Returns false
 * if it cannot be read. NULL is an empty set.
 */
bool poll_empty_copy_set(fd_set *to, const fd_set *from, int count);

#endif
