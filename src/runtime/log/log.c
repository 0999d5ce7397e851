#include "runtime/log/log.h"

#include "runtime/log/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Which file a block goes to. A file that batches go to bypasses the page cache, which short writes
 * must not.
 */
#define FILES WIRE_LOG_FILES
#define CHUNK_FILES 4u
#define BATCH_FILES 3u
#define SHORT_FILE (CHUNK_FILES + BATCH_FILES)
_Static_assert(SHORT_FILE + 1 == FILES, "each file has a use");

struct file {
	struct file_io_file disk;
	_Atomic uint64_t end; /* where the next block goes: reserved, then written */
};

static struct {
	char path[FILES][4096]; /* made at the start: a handler's stack may have no room for them */
	struct file file[FILES];
	_Atomic uint64_t bytes;
	_Atomic bool cached; /* this file system knows no other way */
} logs;

#define FLAGS (O_WRONLY | O_CREAT)

/* One that cannot be opened now is tried again when there is something to write. */
void log_open(const char *dir)
{
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(logs.path[i], sizeof(logs.path[i]), "%s/events.%u", dir, i);
		struct file_io_file *file = &logs.file[i].disk;
		file_io_done(file, file_io_use(file, logs.path[i], FLAGS));
	}
}

/*
 * A long trace must not fill the page cache: it would push out what the program needs, and taking
 * ever new pages costs more than writing (2.8 ns a byte on a virtual machine against 0.5 with
 * pages that come back). So busy threads write batches past it (below). Where that cannot be, each
 * window is sent to disk when it is full, and dropped when the next one is. Shorter traces never get here.
 */
#define WINDOW (32ull << 20)

static void recycle(int fd, uint64_t before, uint64_t after)
{
	uint64_t window = after / WINDOW;

	if (before / WINDOW == window)
		return;
	sync_file_range(fd, (off_t)((window - 1) * WINDOW), WINDOW, SYNC_FILE_RANGE_WRITE);
	if (window < 2)
		return;
	off_t old = (off_t)((window - 2) * WINDOW);
	sync_file_range(fd, old, WINDOW,
			SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				SYNC_FILE_RANGE_WAIT_AFTER);
	posix_fadvise(fd, old, WINDOW, POSIX_FADV_DONTNEED);
}

/*
 * A block that fills its chunk is written whole, at a multiple of the chunk's size: the kernel
 * then takes large folios and never reads a page it is about to overwrite (0.3 ns a byte instead
 * of 0.45). The short blocks, last of their streams, have a file of their own.
 */
static enum log_result failed(void)
{
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? LOG_NO_SPACE : LOG_FAILED;
}

static enum log_result write_at(int fd, const char *from, size_t left, uint64_t at)
{
	unsigned interrupted = 0;

	while (left) {
		ssize_t n = pwrite(fd, from, left, (off_t)at);
		if (n < 0 && errno == EINTR && ++interrupted < 1000)
			continue;
		if (n <= 0)
			return n < 0 ? failed() : LOG_FAILED;
		from += n;
		at += (uint64_t)n;
		left -= (size_t)n;
	}
	return LOG_WRITTEN;
}

/* Room for a block. Beyond the limit of a file's size a write is a signal that kills. */
static bool reserve(struct file *file, size_t room, uint64_t *start)
{
	struct rlimit most;
	bool limited = getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY;

	*start = atomic_load(&file->end);
	do {
		if (limited && *start + room > most.rlim_cur)
			return false;
	} while (!atomic_compare_exchange_weak(&file->end, start, *start + room));
	return true;
}

/*
 * O_DIRECT: from the chunks to the disk, without a copy, a page to find, a buffer to make and a block
 * to reserve for each 4 KiB. By the megabyte that is 0.13 ns a byte instead of 0.8 (ext4), and
 * quicker by the clock, too; by 64 KiB it is 1.0. Set each time: the program may have closed
 * the descriptor, and it was opened again.
 */
static enum log_result write_past_cache(int fd, const char *from, size_t size, uint64_t at)
{
	if (!logs.cached && fcntl(fd, F_SETFL, O_DIRECT) == 0) {
		enum log_result result = write_at(fd, from, size, at);
		if (result != LOG_FAILED)
			return result;
	}
	logs.cached = true;
	fcntl(fd, F_SETFL, 0);
	return write_at(fd, from, size, at);
}

static enum log_result append(unsigned number, const void *from, size_t size, bool batch)
{
	struct file *file = &logs.file[number];
	int fd = file_io_use(&file->disk, logs.path[number], FLAGS);

	if (fd < 0)
		return failed();
	uint64_t start;
	enum log_result result = LOG_NO_SPACE;
	if (reserve(file, size, &start)) {
		result = batch ? write_past_cache(fd, from, size, start)
			       : write_at(fd, from, size, start);
		if (result == LOG_WRITTEN && (!batch || logs.cached))
			recycle(fd, start, start + size);
	}
	file_io_done(&file->disk, fd);
	return result;
}

enum log_result log_append(const struct wire_block *block)
{
	size_t room = wire_block_room(block->bytes);

	log_count(room);
	return append(room == WIRE_CHUNK ? block->stream % CHUNK_FILES : SHORT_FILE, block, room,
		      false);
}

enum log_result log_append_batch(const struct wire_block *first, unsigned count)
{
	return append(CHUNK_FILES + first->stream % BATCH_FILES, first, count * (size_t)WIRE_CHUNK,
		      true);
}

void log_count(uint64_t bytes)
{
	atomic_fetch_add(&logs.bytes, bytes);
}

bool log_is_long(void)
{
	return atomic_load(&logs.bytes) > WINDOW;
}

uint64_t log_bytes(void)
{
	return atomic_load(&logs.bytes);
}

void log_remove_empty(void)
{
	for (unsigned i = 0; i < FILES; i++)
		if (atomic_load(&logs.file[i].end) == 0)
			unlink(logs.path[i]);
}

void log_forget(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		file_io_forget(&logs.file[i].disk);
		atomic_store(&logs.file[i].end, 0);
	}
	atomic_store(&logs.bytes, 0);
	logs.cached = false;
}
