/* Parses /proc/self/maps without allocating: see maps.h. */
#include "runtime/host/maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_line(const char *line, struct maps_entry *entry)
{
	unsigned long low, high, inode;
	char access[5];

	if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &low, &high, access, &inode) != 4)
		return false;
	*entry = (struct maps_entry){
		.low = low,
		.high = high,
		.writable = access[1] == 'w',
		.private = access[3] == 'p',
		.is_file = inode != 0,
		.is_stack = strstr(line, "[stack]") != NULL,
	};
	return true;
}

bool maps_each(bool (*visit)(const struct maps_entry *entry, void *data), void *data)
{
	char text[16 << 10];
	size_t filled = 0;
	ssize_t got = 1;
	bool ok = true;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (got > 0 && ok) {
		got = syscall(SYS_read, fd, text + filled, sizeof(text) - 1 - filled);
		filled += got > 0 ? (size_t)got : 0;
		text[filled] = 0;
		char *line = text;
		for (char *end; ok && (end = strchr(line, '\n')); line = end + 1) {
			struct maps_entry entry;
			*end = 0;
			ok = !read_line(line, &entry) || visit(&entry, data);
		}
		filled -= (size_t)(line - text);
		memmove(text, line, filled);
	}
	close(fd);
	return ok;
}
