/* Reading, writing and keeping open the files of a recording: see file_io.h. */
#include "runtime/log/file_io.h"

#include "runtime/host/libc_next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRIES 1000

int file_io_open(const char *path, int flags)
{
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0 && (i == 0 || errno == EINTR); i++)
		fd = open(path, flags | O_CLOEXEC, 0666);
	return fd;
}

/* Removes the first `written` bytes from the list of parts. */
static void advance(struct iovec **parts, int *count, size_t written)
{
	while (*count && written >= (*parts)->iov_len) {
		written -= (*parts)->iov_len;
		++*parts;
		--*count;
	}
	if (*count) {
		(*parts)->iov_base = (uint8_t *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
}

/*
 * Returns the largest permitted size of a file. A write beyond it would raise SIGXFSZ, which kills
 * the process.
 */
static uint64_t largest_allowed(void)
{
	struct rlimit most;

	return getrlimit(RLIMIT_FSIZE, &most) == 0 ? most.rlim_cur : RLIM_INFINITY;
}

static bool is_allowed(int fd, const struct iovec *parts, int count)
{
	uint64_t most = largest_allowed();
	size_t size = 0;

	if (most == RLIM_INFINITY)
		return true;
	for (int i = 0; i < count; i++)
		size += parts[i].iov_len;
	off_t end = lseek(fd, 0, SEEK_END);
	if (end < 0 || (uint64_t)end + size <= most)
		return true;
	errno = EFBIG;
	return false;
}

/*
 * A signal that the runtime does not block, such as the one for cancellation, may interrupt the
 * call. Then it is repeated.
 */
bool file_io_allocate(int fd, uint64_t at, uint64_t bytes)
{
	int error = EINTR;

	if (at + bytes > largest_allowed())
		return false;
	for (int i = 0; i < TRIES && error == EINTR; i++)
		error = posix_fallocate(fd, (off_t)at, (off_t)bytes);
	return error == 0;
}

bool file_io_write_parts(int fd, struct iovec *parts, int count)
{
	int interrupted = 0;

	if (!is_allowed(fd, parts, count))
		return false;
	advance(&parts, &count, 0); /* skip leading parts that are empty */
	while (count) {
		ssize_t n = writev(fd, parts, count);
		if (n < 0 && errno == EINTR && ++interrupted < TRIES)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		advance(&parts, &count, (size_t)n);
	}
	return true;
}

bool file_io_write(int fd, const void *bytes, size_t size)
{
	struct iovec part = { (void *)bytes, size };

	return file_io_write_parts(fd, &part, 1);
}

long file_io_read(int fd, void *to, size_t size)
{
	ssize_t n = -1;

	for (int i = 0; i < TRIES && n < 0 && (i == 0 || errno == EINTR); i++)
		n = real()->read(fd, to, size);
	return n;
}

/* ---- files that stay open -------------------------------------------------------------------- */

static int lowest_own_descriptor(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < 1024)
		return most.rlim_cur > 64 ? (int)most.rlim_cur - 32 : 32;
	return 512;
}

/*
 * Stores `fd` in the file. If two threads open the same file at once, the first descriptor is kept,
 * and both threads use it.
 */
static int keep_one(struct file_io_file *file, int fd)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&file->fd, &none, fd))
		return fd;
	close(fd);
	return none;
}

static int reopen(struct file_io_file *file, const char *path, int flags)
{
	struct stat st;
	int low = file_io_open(path, flags);

	if (low < 0 || fstat(low, &st) != 0)
		return low;
	int fd = fcntl(low, F_DUPFD_CLOEXEC, lowest_own_descriptor());
	if (fd < 0)
		return low;
	close(low);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return keep_one(file, fd);
}

int file_io_use(struct file_io_file *file, const char *path, int flags)
{
	struct stat st;
	int fd = atomic_load(&file->fd);

	if (fd > 0 && fstat(fd, &st) == 0 && st.st_ino == file->inode && st.st_dev == file->device)
		return fd;
	atomic_compare_exchange_strong(&file->fd, &fd, 0);
	return reopen(file, path, flags);
}

void file_io_done(struct file_io_file *file, int fd)
{
	if (fd >= 0 && fd != atomic_load(&file->fd))
		close(fd);
}

void file_io_forget(struct file_io_file *file)
{
	struct stat st;
	int fd = atomic_exchange(&file->fd, 0);

	if (fd > 0 && fstat(fd, &st) == 0 && st.st_ino == file->inode && st.st_dev == file->device)
		close(fd);
}
