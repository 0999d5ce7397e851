/*
 * A small text file in the trace. It is written through a buffer of its own, because the runtime
 * does not allocate memory.
 */
#ifndef RUNTIME_POINT_POINT_FILE_H
#define RUNTIME_POINT_POINT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A copy of what was written to a file, from which it can be written again. */
struct point_kept {
	char *text;
	size_t used;
};

struct point_file {
	int fd;			 /* -1: the file cannot be written; all calls do nothing */
	struct point_kept *kept; /* where a copy is kept, or NULL */
	size_t used;
	char buffer[4096];
};

/*
 * Opens a file in the trace's directory. Truncates an existing file, or, if `append`, appends to
 * it.
 */
void point_file_open(struct point_file *file, const char *name, int append);
void point_file_close(struct point_file *file);

void point_file_put(struct point_file *file, const char *text, size_t length);
void point_file_text(struct point_file *file, const char *text);
/* These two write a tab after the text or the number. */
void point_file_field(struct point_file *file, const char *text);
void point_file_number(struct point_file *file, uint64_t number, unsigned base);
/* Writes control characters and percent signs as %XX. */
void point_file_escaped(struct point_file *file, const char *text, size_t length);

#endif
