/* Records annotations: orders as SEND and RECEIVE, locks as locks, benign ranges in a file. */
#include "runtime/annotate/annotate.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/sync/sync_object.h"
#include "runtime/host/process.h"
#include "runtime/buffer/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record_object(enum event_kind kind, const void *object, uint64_t mode, uintptr_t pc)
{
	int error = errno;

	if (record_on())
		sync_object_record_next(kind, pc, object, mode);
	errno = error;
}

/* ---- order ----------------------------------------------------------------------------------- */

void annotate_before(const void *object, uintptr_t pc)
{
	record_object(EV_SEND, object, EVENT_CHANNEL_TOLD, pc);
}

void annotate_after(const void *object, uintptr_t pc)
{
	record_object(EV_RECEIVE, object, EVENT_CHANNEL_TOLD, pc);
}

/* ---- locks ----------------------------------------------------------------------------------- */

void annotate_lock_init(const void *lock, bool recursive, uintptr_t pc)
{
	record_object(EV_LOCK_INIT, lock, recursive ? EVENT_LOCK_RECURSIVE : EVENT_LOCK_RW, pc);
}

void annotate_lock_destroy(const void *lock, uintptr_t pc)
{
	record_object(EV_LOCK_DESTROY, lock, 0, pc);
}

void annotate_lock_acquired(const void *lock, bool shared, bool tried, uintptr_t pc)
{
	record_object(shared ? EV_READ_ACQUIRE : EV_ACQUIRE, lock, tried ? EVENT_TRY : EVENT_PLAIN,
		      pc);
}

void annotate_lock_failed(const void *lock, bool shared, uintptr_t pc)
{
	record_object(shared ? EV_READ_FAIL : EV_ACQUIRE_FAIL, lock, EVENT_TRY, pc);
}

void annotate_lock_release(const void *lock, bool shared, uintptr_t pc)
{
	record_object(shared ? EV_READ_RELEASE : EV_RELEASE, lock, 0, pc);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void annotate_new_memory(const void *memory, size_t size, uintptr_t pc)
{
	int error = errno;

	if (size && record_on())
		record(EV_ALLOC, pc, (struct record_fields){ .a = (uintptr_t)memory, .n = size });
	errno = error;
}

/* ---- accesses to be ignored ------------------------------------------------------------------ */

/*
 * Memory in which races are intended. A range is announced once and holds for all threads and the
 * whole run. So ranges are written to a file of their own, which the trace reader reads before the
 * first event. They are also kept here, for children of a fork.
 */
#define RANGES_MOST 4096u
static struct {
	uintptr_t at;
	size_t size;
} ranges[RANGES_MOST];
static _Atomic unsigned range_count;

static void write_range(uintptr_t at, size_t size)
{
	char path[4200], line[64];

	if (!process_recording() || process_discards())
		return;
	struct cancel_before before = cancel_forbid();
	bool quiet = thread_buffer_self.quiet;
	thread_buffer_self.quiet = true;
	snprintf(path, sizeof(path), "%s/benign", process_dir());
	int length = snprintf(line, sizeof(line), "%lx %zx\n", (unsigned long)at, size);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0) {
		ssize_t written = write(fd, line, (size_t)length);
		(void)written; /* if this fails, races are reported that the user does not want */
		close(fd);
	}
	thread_buffer_self.quiet = quiet;
	cancel_allow(before);
}

void annotate_benign(const void *memory, size_t size)
{
	unsigned count = atomic_load(&range_count);
	int error = errno;

	if (!size || !record_on())
		return;
	/* a program may announce the same range in a loop */
	for (unsigned i = 0; i < count && i < RANGES_MOST; i++) {
		if (ranges[i].at == (uintptr_t)memory && ranges[i].size >= size)
			return;
	}
	unsigned i = atomic_fetch_add(&range_count, 1);
	if (i < RANGES_MOST) {
		ranges[i].at = (uintptr_t)memory;
		ranges[i].size = size;
		write_range((uintptr_t)memory, size);
	} else {
		atomic_store(&range_count, RANGES_MOST);
	}
	errno = error;
}

void annotate_after_fork(void)
{
	unsigned count = atomic_load(&range_count);

	for (unsigned i = 0; i < count && i < RANGES_MOST; i++)
		write_range(ranges[i].at, ranges[i].size);
}

/*
 * The annotation is an event of the thread's stream, because it holds for this thread from this
 * point on. src/trace/cursor.c reads it.
 */
void annotate_ignore(bool writes, bool on, uintptr_t pc)
{
	char text[32];
	int error = errno;
	int length = snprintf(text, sizeof(text), "sooth:ignore_%s(%d)",
			      writes ? "writes" : "reads", on);
	void *bytes =
		record_on() ? record_open(EV_PROBE, pc, (struct record_fields){ 0 }, (size_t)length)
			    : NULL;

	if (bytes) {
		memcpy(bytes, text, (size_t)length);
		record_close();
	}
	errno = error;
}
