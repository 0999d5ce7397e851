/* A small text file in the trace, written through its own buffer: the runtime does not allocate. */
#ifndef RUNTIME_POINT_POINT_FILE_H
#define RUNTIME_POINT_POINT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A copy of what was written, for writing it again. */
struct point_kept {
	char *text;
	size_t used;
};

struct point_file {
	int fd;			 /* -1: it cannot be written; all calls do nothing */
	struct point_kept *kept; /* or NULL */
	size_t used;
	char buffer[4096];
};

/* Opens a file in the trace's directory, truncating it or appending to it. */
void point_file_open(struct point_file *file, const char *name, int append);
void point_file_close(struct point_file *file);

void point_file_put(struct point_file *file, const char *text, size_t length);
void point_file_text(struct point_file *file, const char *text);
/* These two write a tab after it. */
void point_file_field(struct point_file *file, const char *text);
void point_file_number(struct point_file *file, uint64_t number, unsigned base);
/* Control characters and percent signs as %XX. */
void point_file_escaped(struct point_file *file, const char *text, size_t length);

#endif
