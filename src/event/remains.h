/*
 * The file `remains` of a trace: segments of the program's memory with their contents at its end.
 */
#ifndef EVENT_REMAINS_H
#define EVENT_REMAINS_H

#include <stdint.h>

/* Precedes the `size` bytes of a segment. */
struct remains_segment {
	uint64_t address, size;
};

/* Programs with more memory than this do not get the file. */
#define REMAINS_MOST (16u << 20)

#endif
