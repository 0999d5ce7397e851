/* Buffered writing of small text files, without the C library's stdio. */
#include "runtime/point/point_file.h"

#include "runtime/host/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void point_file_open(struct point_file *file, const char *name, int append)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", process_dir(), name);
	file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
	file->used = 0;
	file->kept = NULL;
}

/* This much address space is reserved; only the used part takes memory. */
#define KEPT_MOST (64u << 20)

static void keep_copy(struct point_kept *kept, const char *text, size_t length)
{
	if (!kept->text) {
		void *map = mmap(NULL, KEPT_MOST, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		kept->text = map == MAP_FAILED ? NULL : map;
	}
	if (!kept->text || length > KEPT_MOST - kept->used)
		return;
	memcpy(kept->text + kept->used, text, length);
	kept->used += length;
}

static void flush(struct point_file *file)
{
	if (file->kept && file->fd >= 0)
		keep_copy(file->kept, file->buffer, file->used);
	for (size_t at = 0; file->fd >= 0 && at < file->used;) {
		ssize_t n = write(file->fd, file->buffer + at, file->used - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	file->used = 0;
}

void point_file_close(struct point_file *file)
{
	flush(file);
	if (file->fd >= 0)
		close(file->fd);
}

void point_file_put(struct point_file *file, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (file->used == sizeof(file->buffer))
			flush(file);
		file->buffer[file->used++] = text[i];
	}
}

void point_file_text(struct point_file *file, const char *text)
{
	point_file_put(file, text, strlen(text));
}

void point_file_field(struct point_file *file, const char *text)
{
	point_file_text(file, text);
	point_file_text(file, "\t");
}

void point_file_escaped(struct point_file *file, const char *text, size_t length)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		char escaped[3] = { '%', digits[c >> 4], digits[c & 15] };

		if (c < ' ' || c == 127 || c == '%')
			point_file_put(file, escaped, 3);
		else
			point_file_put(file, &text[i], 1);
	}
}

void point_file_number(struct point_file *file, uint64_t number, unsigned base)
{
	char text[24], *p = text + sizeof(text);

	*--p = '\t';
	do
		*--p = "0123456789abcdef"[number % base];
	while (number /= base);
	point_file_put(file, p, (size_t)(text + sizeof(text) - p));
}
