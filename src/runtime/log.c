#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES WIRE_LOG_FILES

/*
 * A descriptor is kept open, far above those a program gets by itself. But a program may close
 * every descriptor it does not know, and the number may then be a file of its own: before each
 * write we look whether the descriptor still is our file, and open it anew if not. (0.3 µs for
 * each 64 KiB; opening it each time cost 2 µs.)
 */
struct file {
	_Atomic int fd; /* 0: not open */
	dev_t device;
	ino_t inode;
	_Atomic uint64_t end; /* where the next block goes: reserved, then written */
};

static struct {
	char path[FILES][4096]; /* made at the start: a handler's stack may have no room for them */
	struct file file[FILES];
	_Atomic uint64_t bytes;
} logs;

void log_open(const char *dir)
{
	for (unsigned i = 0; i < FILES; i++)
		snprintf(logs.path[i], sizeof(logs.path[i]), "%s/events.%u", dir, i);
}

static int lift(int fd)
{
	struct rlimit most;
	int floor = 512;

	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < 1024)
		floor = most.rlim_cur > 64 ? (int)most.rlim_cur - 32 : 32;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, floor);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static int open_file(struct file *file, unsigned number)
{
	struct stat st;
	int fd = open(logs.path[number], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	fd = lift(fd);
	if (fstat(fd, &st) == 0) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
	/* Two threads may open the same file at once: one descriptor is kept, both are right. */
	int none = 0;
	if (!atomic_compare_exchange_strong(&file->fd, &none, fd)) {
		close(fd);
		fd = none;
	}
	return fd;
}

static int descriptor(struct file *file, unsigned number)
{
	struct stat st;
	int fd = atomic_load(&file->fd);

	if (fd > 0 && fstat(fd, &st) == 0 && st.st_ino == file->inode && st.st_dev == file->device)
		return fd;
	atomic_compare_exchange_strong(&file->fd, &fd, 0);
	return open_file(file, number);
}

/*
 * A long trace must not fill the page cache: it would push out what the program needs, and taking
 * ever new pages costs more than writing (2.8 ns a byte on a virtual machine against 0.5 with
 * pages that come back). So each window is sent to disk when it is full, and dropped when the
 * next one is. Shorter traces never get here.
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
enum log_result log_append(const struct wire_block *block)
{
	size_t left = wire_block_room(block->bytes);
	unsigned number = left == WIRE_CHUNK ? block->stream % (FILES - 1) : FILES - 1;
	struct file *file = &logs.file[number];
	const char *from = (const char *)block;
	int fd = descriptor(file, number);

	if (fd < 0)
		return errno == ENOSPC || errno == EDQUOT ? LOG_NO_SPACE : LOG_FAILED;
	/* Beyond that limit a write is a signal that kills. */
	struct rlimit most;
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && file->end + left > most.rlim_cur)
		return LOG_NO_SPACE;
	uint64_t start = atomic_fetch_add(&file->end, left), at = start;
	atomic_fetch_add(&logs.bytes, left);
	while (left) {
		ssize_t n = pwrite(fd, from, left, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? LOG_NO_SPACE
										    : LOG_FAILED;
		from += n;
		at += (uint64_t)n;
		left -= (size_t)n;
	}
	recycle(fd, start, at);
	return LOG_WRITTEN;
}

uint64_t log_bytes(void)
{
	return atomic_load(&logs.bytes);
}

void log_forget(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		if (logs.file[i].fd > 0)
			close(logs.file[i].fd);
		atomic_store(&logs.file[i].fd, 0);
		atomic_store(&logs.file[i].end, 0);
	}
	atomic_store(&logs.bytes, 0);
}
