/*
 * Removes and moves trace directories. A directory counts as a trace only if it has a file `meta`,
 * so that a mistyped name never removes anything else.
 */
#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the descriptor of the trace's directory, or -1. */
static int open_trace(const char *directory)
{
	struct stat status;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && fstatat(fd, "meta", &status, 0)) {
		close(fd);
		errno = EEXIST;
		return -1;
	}
	return fd;
}

bool trace_exists(const char *directory)
{
	int fd = open_trace(directory);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static DIR *open_entries(const char *directory)
{
	int fd = open_trace(directory);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !entries) {
		int error = errno;

		close(fd);
		errno = error;
	}
	return entries;
}

/* Removes the directory and its files, and closes `entries`, which lists them. */
static bool remove_files(const char *directory, DIR *entries)
{
	int fd = dirfd(entries);

	rewinddir(entries);
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "meta") != 0)
			unlinkat(fd, entry->d_name, 0);
	/* `meta` is last, so that the rest after an interrupted removal still counts as a trace. */
	unlinkat(fd, "meta", 0);
	closedir(entries);
	return rmdir(directory) == 0;
}

bool trace_remove(const char *directory)
{
	DIR *entries = open_entries(directory);

	return entries && remove_files(directory, entries);
}

/* ---- moving ---------------------------------------------------------------------------------- */

static bool copy_file(int from_dir, int to_dir, const char *name)
{
	int from = openat(from_dir, name, O_RDONLY | O_CLOEXEC);
	int to = openat(to_dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ssize_t n = -1;

	if (from >= 0 && to >= 0) {
		while ((n = sendfile(to, from, NULL, 1 << 24)) > 0)
			;
	}
	int error = errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	errno = error;
	return n == 0;
}

static bool copy_files(DIR *entries, int to)
{
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (entry->d_name[0] != '.' && !copy_file(dirfd(entries), to, entry->d_name))
			return false;
	}
	return true;
}

/* Copies to a new directory. If that fails, nothing is left of it. */
static bool copy_trace(DIR *entries, const char *to)
{
	bool made = !mkdir(to, 0777);
	DIR *copies = made ? opendir(to) : NULL;

	if (copies && copy_files(entries, dirfd(copies)))
		return closedir(copies) == 0;
	int error = errno;
	if (copies)
		remove_files(to, copies);
	else if (made)
		rmdir(to);
	errno = error;
	return false;
}

bool trace_move(const char *from, const char *to)
{
	DIR *entries = open_entries(from);
	bool moved;

	if (!entries)
		return false;
	moved = !rename(from, to);
	if (!moved && errno == EXDEV && copy_trace(entries, to))
		return remove_files(from, entries);
	int error = errno;
	closedir(entries);
	errno = error;
	return moved;
}
