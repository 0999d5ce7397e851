/* Records events around calls that take bytes out of a descriptor or put some in. */
#include "runtime/io/transfer.h"

#include "runtime/host/module.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/kernel_state.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* ---- properties of a descriptor -------------------------------------------------------------- */

#define MEMORY_DEVICES 1 /* major number of /dev/null and /dev/zero: writes are discarded */

bool transfer_is_stored(int fd)
{
	int error = errno;
	struct stat st;
	bool stored = record_on() && fstat(fd, &st) == 0 &&
		      (S_ISREG(st.st_mode) ||
		       (S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY_DEVICES));

	errno = error;
	return stored;
}

/*
 * Would the operation wait? poll reports regular files as ready, and a regular file never makes a
 * thread wait.
 */
static bool would_wait(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	int error = errno;
	int ready = real()->poll(&p, 1, 0);

	errno = error;
	return ready == 0;
}

bool transfer_is_empty(int fd)
{
	return would_wait(fd, POLLIN);
}

/* ---- the kernel's accesses ------------------------------------------------------------------- */

static void record_range(enum event_kind kind, const void *at, size_t size, uintptr_t pc)
{
	if (!at || !size)
		return;
	sched_before(kind, at, (uint32_t)size, pc);
	record(kind, pc, (struct record_fields){ .a = (uintptr_t)at, .n = size });
}

/*
 * Searches the whole table of modules, which is short. Modules stay in it when they are unloaded.
 */
static bool is_instrumented(uintptr_t pc)
{
	const struct module *m;

	for (uint32_t i = 0; (m = module_get(i)); i++) {
		if (pc >= m->base && pc < m->end)
			return true;
	}
	return false;
}

bool transfer_is_seen(uintptr_t pc)
{
	return record_on() && is_instrumented(pc);
}

void transfer_reads(const void *from, size_t size, uintptr_t pc)
{
	if (transfer_is_seen(pc))
		record_range(EV_READ, from, size, pc);
}

void transfer_wrote(const void *to, size_t size, uintptr_t pc)
{
	if (transfer_is_seen(pc))
		record_range(EV_WRITE, to, size, pc);
}

/* ---- taking ---------------------------------------------------------------------------------- */

/*
 * Is this an eventfd? It contains a counter instead of bytes, and both its ends are the same
 * channel.
 */
static bool is_counter(const struct descriptor_ends *ends)
{
	return ends->in && ends->in == ends->out;
}

static uint64_t counter_value(const struct iovec *vector, int count)
{
	uint64_t value = 0;

	if (count == 1 && vector->iov_len >= sizeof(value))
		safe_read(&value, vector->iov_base, sizeof(value));
	return value;
}

void transfer_snapshot(struct transfer *call)
{
	if (!channel_is_known(call->ends.in))
		return;
	call->snapshot = channel_snapshot_take();
	channel_snapshot_check(&call->snapshot, call->ends.in);
}

bool transfer_found_nothing(struct transfer *call)
{
	int error = errno;
	bool again = !channel_found_nothing(&call->snapshot, call->ends.in, true, call->pc);

	if (again) {
		channel_snapshot_retry(&call->snapshot);
		channel_snapshot_check(&call->snapshot, call->ends.in);
	}
	errno = error;
	return again;
}

bool transfer_must_retry(struct transfer *call)
{
	return errno == EAGAIN && transfer_found_nothing(call);
}

struct transfer transfer_take(int fd, uintptr_t pc)
{
	struct transfer call = { .pc = pc, .fd = fd, .ends = descriptor_ends(fd) };

	descriptor_use(fd, pc);
	if (sched_may_leave() && transfer_is_empty(fd))
		sched_leave(pc);
	transfer_snapshot(&call);
	call.takes = channel_is_known(call.ends.in);
	if (call.takes)
		channel_taking(call.ends.in, true);
	return call;
}

/*
 * A read of 0 bytes counts as received, too: the reader has learned that the other end was closed.
 */
static void end_take(struct transfer *call, ssize_t result, uint64_t taken, const struct iovec *to,
		     int count)
{
	call->to = to;
	call->count = count;
	call->written = result > 0 ? (size_t)result : 0;
	call->bytes = taken;
	if (result < 0)
		call->how = TRANSFER_NOTHING;
	else if (channel_is_known(call->ends.in))
		call->how = TRANSFER_RECEIVED;
	else
		call->how = transfer_is_stored(call->fd) ? TRANSFER_STORED : TRANSFER_WAITED;
}

void transfer_took(struct transfer *call, ssize_t result, const struct iovec *to, int count)
{
	uint64_t taken = result > 0 ? (uint64_t)result : 0;

	if (taken && is_counter(&call->ends))
		taken = counter_value(to, count);
	end_take(call, result, taken, to, count);
	if (result < 0)
		descriptor_check_failed(call->fd, false, call->pc);
}

void transfer_peeked(struct transfer *call, ssize_t result, const struct iovec *to, int count)
{
	end_take(call, result, 0, to, count);
}

/* ---- putting --------------------------------------------------------------------------------- */

static size_t size_of(const struct iovec *from, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += from[i].iov_len;
	return size;
}

/*
 * If a descriptor is ready for writing, it has room for PIPE_BUF bytes. Whether it has room for
 * more is not known, so a larger write counts as one that may wait, unless the channel is known to
 * have room for everything.
 */
struct transfer transfer_put(int fd, const struct iovec *from, int count, uintptr_t pc)
{
	struct transfer call = { .pc = pc, .fd = fd, .ends = descriptor_ends(fd) };
	int error = errno;

	if (!record_on()) {
		channel_lose(call.ends.out); /* the bytes put in will not be recorded */
		return call;
	}
	call.bytes = size_of(from, count);
	descriptor_use(fd, pc);
	for (int i = 0; i < count; i++)
		transfer_reads(from[i].iov_base, from[i].iov_len, pc);
	if (!channel_is_known(call.ends.out))
		kernel_state_file_changes(fd, pc);
	call.full = would_wait(fd, POLLOUT);
	call.unsure = call.bytes > PIPE_BUF;
	if (is_counter(&call.ends))
		call.bytes = counter_value(from, count);
	channel_send(call.ends.out, call.bytes, pc);
	call.puts = true;
	if (sched_may_leave() && call.full && would_wait(fd, POLLOUT))
		sched_leave(pc);
	errno = error;
	return call;
}

void transfer_did_put(struct transfer *call, ssize_t result)
{
	uint64_t put = result > 0 ? (uint64_t)result : 0;

	if (is_counter(&call->ends) && put)
		put = call->bytes;
	call->bytes = put < call->bytes ? call->bytes - put : 0;
	call->how = result < 0 ? TRANSFER_NOTHING : TRANSFER_PUT;
	call->full |= result < 0 ? errno == EAGAIN : call->bytes != 0;
	if (result < 0 && (errno == EPIPE || errno == ECONNRESET))
		call->how = TRANSFER_WAITED; /* the thread learned that the other end was closed */
	if (result < 0)
		descriptor_check_failed(call->fd, false, call->pc);
}

/* ---- the end of a transfer ------------------------------------------------------------------- */

static void record_writes(const struct transfer *call)
{
	size_t left = call->written;

	for (int i = 0; i < call->count && left; i++) {
		size_t part = call->to[i].iov_len < left ? call->to[i].iov_len : left;

		transfer_wrote(call->to[i].iov_base, part, call->pc);
		left -= part;
	}
}

/*
 * Did the call, which has put bytes in, wait for room, or find room that any other call has made?
 * Records RECEIVE if the channel shows which calls made room.
 */
static bool needed_unknown_room(const struct transfer *call)
{
	uint32_t channel = call->ends.out;

	if (channel_fits_all(channel))
		return false;
	if (call->full || (call->unsure && !transfer_is_stored(call->fd)))
		return true;
	return channel_is_known(channel) ? !channel_needed_room(channel, call->pc)
					 : descriptor_is_crowded(call->fd);
}

/* Returns whether to record SYNC. */
static bool end_put(const struct transfer *call)
{
	uint32_t channel = call->ends.out;

	channel_sent(channel, call->how == TRANSFER_CANCELLED ? 0 : call->bytes);
	if (call->full) {
		channel_was_full(channel);
		descriptor_was_full(call->fd);
	}
	return call->how == TRANSFER_PUT && needed_unknown_room(call);
}

void transfer_end(struct transfer *call)
{
	if (__builtin_expect(sched_active, 0))
		sched_return(); /* if the call was made outside the schedule */
	bool waited = call->how == TRANSFER_WAITED || call->how == TRANSFER_CANCELLED;
	if (call->puts)
		waited |= end_put(call);
	if (call->how == TRANSFER_RECEIVED)
		waited = !channel_receive(call->ends.in, call->bytes, call->pc);
	if (call->takes)
		channel_taking(call->ends.in, false);
	if (call->how == TRANSFER_STORED)
		kernel_state_file_seen(call->fd, call->pc);
	if (waited && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
	record_writes(call);
}
