#include "runtime/io/transfer.h"

#include "runtime/host/module.h"
#include "runtime/host/safe_read.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* ---- what a descriptor is like -------------------------------------------------------------------- */

#define MEMORY_DEVICES 1 /* /dev/null, /dev/zero, /dev/urandom: whatever one writes there is gone */

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

/* Files never make anybody wait; of others poll knows. */
static bool has_to_wait(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	int error = errno;
	int ready = real()->poll(&p, 1, 0);

	errno = error;
	return ready == 0;
}

bool transfer_is_empty(int fd)
{
	return has_to_wait(fd, POLLIN);
}

static bool is_full(int fd)
{
	return has_to_wait(fd, POLLOUT);
}

/* ---- the kernel's accesses ------------------------------------------------------------------------ */

static void touch(enum event_kind kind, const void *at, size_t size, uintptr_t pc)
{
	if (!at || !size)
		return;
	sched_before(kind, at, (uint32_t)size, pc);
	record(kind, pc, (struct record_fields){ .a = (uintptr_t)at, .n = size });
}

/* There are few modules; none of them ever goes. */
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
		touch(EV_READ, from, size, pc);
}

void transfer_wrote(const void *to, size_t size, uintptr_t pc)
{
	if (transfer_is_seen(pc))
		touch(EV_WRITE, to, size, pc);
}

/* ---- taking --------------------------------------------------------------------------------------- */

/* What a count of an eventfd is, everything else has as bytes. Both its ends are one channel. */
static bool is_counter(const struct descriptor_ends *ends)
{
	return ends->in && ends->in == ends->out;
}

static uint64_t counted(const struct iovec *vector, int count)
{
	uint64_t value = 0;

	if (count == 1 && vector->iov_len >= sizeof(value))
		safe_read(&value, vector->iov_base, sizeof(value));
	return value;
}

void transfer_looks(struct transfer *call)
{
	if (!channel_is_known(call->ends.in))
		return;
	call->look = channel_look();
	channel_look_at(&call->look, call->ends.in);
}

bool transfer_looks_again(struct transfer *call)
{
	int error = errno;
	bool again = !channel_found_nothing(&call->look, call->ends.in, true, call->pc);

	if (again) {
		channel_look_again(&call->look);
		channel_look_at(&call->look, call->ends.in);
	}
	errno = error;
	return again;
}

bool transfer_takes_again(struct transfer *call)
{
	return errno == EAGAIN && transfer_looks_again(call);
}

struct transfer transfer_take(int fd, uintptr_t pc)
{
	struct transfer call = { .pc = pc, .fd = fd, .ends = descriptor_ends(fd) };

	descriptor_use(fd, pc);
	if (sched_may_leave() && transfer_is_empty(fd))
		sched_leave(pc);
	transfer_looks(&call);
	return call;
}

/* Each thread that is here when the other end is closed learns that: a result of 0 counts. */
static void took(struct transfer *call, ssize_t result, uint64_t taken, const struct iovec *to,
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
		call->how = transfer_is_stored(call->fd) ? TRANSFER_NOTHING : TRANSFER_WAITED;
}

void transfer_took(struct transfer *call, ssize_t result, const struct iovec *to, int count)
{
	uint64_t taken = result > 0 ? (uint64_t)result : 0;

	if (taken && is_counter(&call->ends))
		taken = counted(to, count);
	took(call, result, taken, to, count);
	if (result < 0)
		descriptor_check_failed(call->fd, false, call->pc);
}

void transfer_looked(struct transfer *call, ssize_t result, const struct iovec *to, int count)
{
	took(call, result, 0, to, count);
}

/* ---- putting -------------------------------------------------------------------------------------- */

static size_t size_of(const struct iovec *from, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += from[i].iov_len;
	return size;
}

/* What is ready has room for PIPE_BUF bytes; whether there was room for more is not known. */
struct transfer transfer_put(int fd, const struct iovec *from, int count, uintptr_t pc)
{
	struct transfer call = { .pc = pc, .fd = fd, .ends = descriptor_ends(fd) };
	int error = errno;

	if (!record_on()) {
		channel_lose(call.ends.out); /* nothing says what goes in */
		return call;
	}
	call.bytes = size_of(from, count);
	descriptor_use(fd, pc);
	for (int i = 0; i < count; i++)
		transfer_reads(from[i].iov_base, from[i].iov_len, pc);
	call.full = is_full(fd);
	if (call.bytes > PIPE_BUF && !call.full)
		call.full = !transfer_is_stored(fd);
	if (is_counter(&call.ends))
		call.bytes = counted(from, count);
	channel_send(call.ends.out, call.bytes, pc);
	call.puts = true;
	if (sched_may_leave() && call.full && is_full(fd))
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
	call->how = result >= 0 && call->full ? TRANSFER_WAITED : TRANSFER_NOTHING;
	if (result < 0 && (errno == EPIPE || errno == ECONNRESET))
		call->how = TRANSFER_WAITED; /* for who closed the other end */
	if (result < 0)
		descriptor_check_failed(call->fd, false, call->pc);
}

/* ---- the end of both ------------------------------------------------------------------------------ */

static void record_writes(const struct transfer *call)
{
	size_t left = call->written;

	for (int i = 0; i < call->count && left; i++) {
		size_t part = call->to[i].iov_len < left ? call->to[i].iov_len : left;

		transfer_wrote(call->to[i].iov_base, part, call->pc);
		left -= part;
	}
}

void transfer_end(struct transfer *call)
{
	if (__builtin_expect(sched_taking, 0))
		sched_return(); /* where the call was made outside */
	if (call->puts)
		channel_sent(call->ends.out, call->how == TRANSFER_CANCELLED ? 0 : call->bytes);
	bool waited = call->how == TRANSFER_WAITED || call->how == TRANSFER_CANCELLED;
	if (call->how == TRANSFER_RECEIVED)
		waited = !channel_receive(call->ends.in, call->bytes, call->pc);
	if (waited && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
	record_writes(call);
}
