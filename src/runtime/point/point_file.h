/* A small text file of the trace, written with a buffer of its own: the runtime does not allocate. */
#ifndef RUNTIME_POINT_POINT_FILE_H
#define RUNTIME_POINT_POINT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* What was written, for those who need it once more. */
struct point_kept {
	char *text;
	size_t used;
};

struct point_file {
	int fd;			 /* -1: it cannot be written, and nothing happens */
	struct point_kept *kept; /* or NULL */
	size_t used;
	char buffer[4096];
};

/* In the trace's directory: anew, or at its end. */
void point_file_open(struct point_file *file, const char *name, int append);
void point_file_close(struct point_file *file);

void point_file_put(struct point_file *file, const char *text, size_t length);
void point_file_text(struct point_file *file, const char *text);
/* Control characters and percent signs as %XX. */
void point_file_escaped(struct point_file *file, const char *text, size_t length);
void point_file_number(struct point_file *file, uint64_t number, unsigned base);

#endif
