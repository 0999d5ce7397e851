/* Whole files: mapped for reading, or written so that a reader sees all of it or none of it. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct file_view {
	const uint8_t *data; /* NULL if the file is empty */
	size_t size;
};

/* Maps `path` for reading. A file that shrinks while mapped raises SIGBUS; traces never shrink. */
bool file_map(const char *path, struct file_view *view, struct err *err);
void file_unmap(struct file_view *view);

/* Writes `path`.new and renames it to `path`. */
bool file_write(const char *path, const void *data, size_t size, struct err *err);

/* Returns the last component of a path. */
const char *path_name(const char *path);

#endif
