/* Appends blocks to the files events.K: see log.h. */
#include "runtime/log/log.h"

#include "runtime/log/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The numbers of files by use: CHUNK_FILES for full chunks, BATCH_FILES for batches, and one for
 * short blocks. Files for batches bypass the page cache, which requires long, aligned writes.
 */
#define FILES WIRE_LOG_FILES
#define CHUNK_FILES 4u
#define BATCH_FILES 3u
#define SHORT_FILE (CHUNK_FILES + BATCH_FILES)
_Static_assert(SHORT_FILE + 1 == FILES, "each file has a use");

struct file {
	struct file_io_file disk;
	_Atomic uint64_t end; /* offset of the next block; a writer advances it, then writes */
};

static struct {
	/*
	 * The paths are composed at the start, because the stack of a signal handler may have no
	 * room for them.
	 */
	char path[FILES][4096];
	struct file file[FILES];
	_Atomic uint64_t bytes;
	_Atomic bool cached; /* this file system does not support O_DIRECT */
} logs;

#define FLAGS (O_WRONLY | O_CREAT)

/*
 * Opens the files. If a file cannot be opened now, opening it is tried again when there is
 * something to write.
 */
void log_open(const char *dir)
{
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(logs.path[i], sizeof(logs.path[i]), "%s/events.%u", dir, i);
		struct file_io_file *file = &logs.file[i].disk;
		file_io_done(file, file_io_use(file, logs.path[i], FLAGS));
	}
}

/*
 * A long trace must not fill the page cache: it would displace the program's own pages. New pages
 * also cost more than writing itself (2.8 ns per byte on a virtual machine, against 0.5 for
 * recycled pages). So busy threads write batches that bypass the page cache (write_past_cache).
 * Where that is not possible, each piece of PIECE bytes is written to disk when it is complete, and
 * dropped from the page cache when the next one is complete. Traces shorter than a piece are not
 * affected.
 */
#define PIECE (32ull << 20)

static void drop_from_page_cache(int fd, uint64_t before, uint64_t after)
{
	uint64_t piece = after / PIECE;

	if (before / PIECE == piece)
		return;
	sync_file_range(fd, (off_t)((piece - 1) * PIECE), PIECE, SYNC_FILE_RANGE_WRITE);
	if (piece < 2)
		return;
	off_t old = (off_t)((piece - 2) * PIECE);
	sync_file_range(fd, old, PIECE,
			SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				SYNC_FILE_RANGE_WAIT_AFTER);
	posix_fadvise(fd, old, PIECE, POSIX_FADV_DONTNEED);
}

static enum log_result reason_of_failure(void)
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
			return n < 0 ? reason_of_failure() : LOG_FAILED;
		from += n;
		at += (uint64_t)n;
		left -= (size_t)n;
	}
	return LOG_WRITTEN;
}

/*
 * Reserves room for a block at the end of the file. Returns false if the block would exceed the
 * file size limit: writing it would raise SIGXFSZ, which kills the process.
 */
static bool reserve_room(struct file *file, size_t room, uint64_t *start)
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
 * With O_DIRECT, data goes from the chunks to the disk without a copy, and the kernel need not find
 * a page, make a buffer and reserve a disk block for each 4 KiB. For writes of a megabyte that
 * costs 0.13 ns per byte instead of 0.8 (ext4), and takes less elapsed time, too; for writes of 64
 * KiB it costs 1.0. The flag is set before each write, because the program may have closed the
 * descriptor, so that the file had to be opened again.
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

static enum log_result append_at_end(unsigned number, const void *from, size_t size, bool batch)
{
	struct file *file = &logs.file[number];
	int fd = file_io_use(&file->disk, logs.path[number], FLAGS);

	if (fd < 0)
		return reason_of_failure();
	uint64_t start;
	enum log_result result = LOG_NO_SPACE;
	if (reserve_room(file, size, &start)) {
		result = batch ? write_past_cache(fd, from, size, start)
			       : write_at(fd, from, size, start);
		if (result == LOG_WRITTEN && (!batch || logs.cached))
			drop_from_page_cache(fd, start, start + size);
	}
	file_io_done(&file->disk, fd);
	return result;
}

/*
 * A block that fills its chunk is written as a whole, at a multiple of the chunk size. The kernel
 * then uses large folios and never reads a page that is about to be overwritten (0.3 ns per byte
 * instead of 0.45). Short blocks, which are the last ones of their streams, go to a separate file.
 */
enum log_result log_append(const struct wire_block *block)
{
	size_t room = wire_block_room(block->bytes);

	log_count(room);
	return append_at_end(room == WIRE_CHUNK ? block->stream % CHUNK_FILES : SHORT_FILE, block,
			     room, false);
}

enum log_result log_append_batch(const struct wire_block *first, unsigned count)
{
	return append_at_end(CHUNK_FILES + first->stream % BATCH_FILES, first,
			     count * (size_t)WIRE_CHUNK, true);
}

void log_count(uint64_t bytes)
{
	atomic_fetch_add(&logs.bytes, bytes);
}

bool log_is_long(void)
{
	return atomic_load(&logs.bytes) > PIECE;
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
