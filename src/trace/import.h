/* Reads a text trace and makes, in memory, the files of a trace directory with the same events. */
#ifndef TRACE_IMPORT_H
#define TRACE_IMPORT_H

#include "base/err.h"
#include "trace/names.h"

struct import_image {
	char *meta; /* NUL-terminated */
	struct names names;
	uint8_t *events; /* contents of the file events.0 */
	size_t events_bytes;
};

/* An error message names the file, line and column, and shows the line. */
bool import_text(const char *path, struct import_image *image, struct err *err);

/* Creates the directory `path`, which must not exist, and writes the files. */
bool import_save(const struct import_image *image, const char *path, struct err *err);

void import_free(struct import_image *image);

#endif
