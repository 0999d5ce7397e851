/* The table of descriptors: one word for each, changed with atomic stores. */
#include "runtime/io/descriptor.h"

#include "runtime/host/caller_instrumented.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/process.h"
#include "runtime/buffer/record.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdatomic.h>

#define DESCRIPTORS_MOST (1 << 16) /* descriptors with larger numbers are ignored */

/*
 * An entry of the table contains the channels of the descriptor and these bits. The entry of a
 * closed descriptor contains the stream that closed it instead of the channels.
 */
#define RECORDED (1ull << 63) /* its FD_OPEN was recorded */
#define CLOSED (1ull << 62)   /* its FD_CLOSE, too, and the number is not in use again */
#define IN_SHIFT 31
#define CHANNEL_MASK ((1ull << IN_SHIFT) - 1)
static _Atomic uint64_t table[DESCRIPTORS_MOST];

static _Atomic bool crowded[DESCRIPTORS_MOST];

static bool is_in_table(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS_MOST;
}

static uint64_t entry_of(int fd)
{
	return is_in_table(fd) ? atomic_load_explicit(&table[fd], memory_order_acquire) : 0;
}

static void record_descriptor(enum event_kind kind, int fd, uintptr_t pc)
{
	record(kind, pc, (struct record_fields){ .a = EVENT_FD + (uint64_t)fd });
}

static struct descriptor_ends ends_in(uint64_t entry)
{
	if (entry & CLOSED)
		return DESCRIPTOR_PLAIN;
	return (struct descriptor_ends){ (uint32_t)(entry & CHANNEL_MASK),
					 (uint32_t)(entry >> IN_SHIFT & CHANNEL_MASK) };
}

struct descriptor_ends descriptor_ends(int fd)
{
	return ends_in(entry_of(fd));
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

void descriptor_opened(int fd, struct descriptor_ends ends, uintptr_t pc)
{
	uint64_t entry = ends.out | (uint64_t)ends.in << IN_SHIFT;
	int error = errno;

	if (!is_in_table(fd) || !process_is_here())
		return;
	if (caller_instrumented_is_recorded(pc)) {
		record_descriptor(EV_FD_OPEN, fd, pc);
		entry |= RECORDED;
	}
	if (ends.in != ends.out)
		channel_taker_opened(ends.in);
	atomic_store_explicit(&table[fd], entry, memory_order_release);
	if (atomic_load_explicit(&crowded[fd], memory_order_relaxed))
		atomic_store_explicit(&crowded[fd], false, memory_order_relaxed);
	errno = error;
}

/* Announces to readers at the other end that no more bytes will come. */
static struct descriptor_ends send_end(uint64_t entry, uintptr_t pc)
{
	struct descriptor_ends ends = ends_in(entry);

	channel_send(ends.out, 0, pc);
	return ends;
}

struct descriptor_ends descriptor_leaving(int fd, uintptr_t pc)
{
	return entry_of(fd) && process_is_here() ? send_end(entry_of(fd), pc) : DESCRIPTOR_PLAIN;
}

void descriptor_left(struct descriptor_ends ends, bool closed, uintptr_t pc)
{
	int error = errno;

	channel_sent(ends.out, 0);
	if (closed && ends.in != ends.out)
		channel_taker_closed(ends.in, pc);
	errno = error;
}

struct descriptor_ends descriptor_closing(int fd, uintptr_t pc)
{
	uint64_t entry = entry_of(fd);
	bool recorded = (entry & (RECORDED | CLOSED)) == RECORDED;

	if (!entry || !process_is_here())
		return DESCRIPTOR_PLAIN;
	if (recorded && caller_instrumented_is_recorded(pc)) {
		sched_before(EV_FD_CLOSE, (void *)(uintptr_t)(EVENT_FD + (uint64_t)fd), 1, pc);
		atomic_store_explicit(&table[fd], RECORDED | CLOSED | thread_buffer_self.stream,
				      memory_order_release);
		record_descriptor(EV_FD_CLOSE, fd, pc);
	} else if (!(entry & CLOSED)) {
		atomic_store_explicit(&table[fd], 0, memory_order_release);
	}
	return send_end(entry, pc);
}

void descriptor_closing_range(unsigned low, unsigned high, uintptr_t pc)
{
	for (unsigned fd = low; fd <= high && fd < DESCRIPTORS_MOST; fd++)
		descriptor_left(descriptor_closing((int)fd, pc), true, pc);
}

/* ---- uses ------------------------------------------------------------------------------------ */

void descriptor_use(int fd, uintptr_t pc)
{
	if ((entry_of(fd) & (RECORDED | CLOSED)) != RECORDED ||
	    !caller_instrumented_is_recorded(pc))
		return;
	sched_before(EV_FD_USE, (void *)(uintptr_t)(EVENT_FD + (uint64_t)fd), 1, pc);
	record_descriptor(EV_FD_USE, fd, pc);
}

void descriptor_check_failed(int fd, bool closes, uintptr_t pc)
{
	uint64_t entry = entry_of(fd);

	if (errno != EBADF || !(entry & CLOSED) || !caller_instrumented_is_recorded(pc) ||
	    (closes && (entry & CHANNEL_MASK) == thread_buffer_self.stream))
		return;
	record(EV_MISUSE, pc,
	       (struct record_fields){ .a = EVENT_FD + (uint64_t)fd, .m = EVENT_MISUSE_CLOSED });
	errno = EBADF;
}

void descriptor_was_full(int fd)
{
	if (is_in_table(fd))
		atomic_store_explicit(&crowded[fd], true, memory_order_relaxed);
}

void descriptor_resized(int fd)
{
	struct descriptor_ends ends = descriptor_ends(fd);

	channel_was_full(ends.out);
	channel_was_full(ends.in);
}

bool descriptor_is_crowded(int fd)
{
	return is_in_table(fd) && atomic_load_explicit(&crowded[fd], memory_order_relaxed);
}

void descriptor_lose(int fd)
{
	struct descriptor_ends ends = descriptor_ends(fd);

	channel_lose(ends.out);
	channel_lose(ends.in);
}
