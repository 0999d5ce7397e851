#include "trace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The descriptor of its directory, or -1. */
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

bool trace_is_there(const char *directory)
{
	int fd = open_trace(directory);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool trace_remove(const char *directory)
{
	int fd = open_trace(directory);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;

	if (!entries)
		return false;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "meta") != 0)
			unlinkat(fd, entry->d_name, 0);
	/* `meta` last: what is left of an interrupted removal is still seen to be a trace. */
	unlinkat(fd, "meta", 0);
	closedir(entries);
	return rmdir(directory) == 0;
}
