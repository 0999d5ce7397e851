/* Reading files with mmap(), and replacing them atomically with rename(). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool file_map(const char *path, struct file_view *view, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = NULL;
	struct stat st;

	if (fd < 0)
		return err_set_system(err, errno, "%s", path);
	if (fstat(fd, &st) < 0) {
		err_set_system(err, errno, "%s", path);
		close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, "%s: not a regular file", path);
	}
	if (st.st_size > 0)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return err_set_system(err, errno, "%s: cannot map", path);
	*view = (struct file_view){ .data = data, .size = (size_t)st.st_size };
	return true;
}

void file_unmap(struct file_view *view)
{
	if (view->data)
		munmap((void *)view->data, view->size);
	*view = (struct file_view){ 0 };
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

bool file_write(const char *path, const void *data, size_t size, struct err *err)
{
	char beside[4096];
	int fd, saved;

	if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
		return err_set(err, "%s: the name is too long", path);
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set_system(err, errno, "%s", beside);
	if (!write_all(fd, data, size) || rename(beside, path) < 0) {
		saved = errno;
		close(fd);
		unlink(beside);
		return err_set_system(err, saved, "%s", path);
	}
	close(fd);
	return true;
}
