/*
 * The file `remains` of a trace: the contents of the program's memory at its end, as a sequence of
 * ranges.
 */
#ifndef EVENT_REMAINS_H
#define EVENT_REMAINS_H

#include <stdint.h>

/* Precedes the `size` bytes of a range. */
struct remains_segment {
	uint64_t address, size;
};

/* Programs with more memory than this do not get the file. */
#define REMAINS_MOST (16u << 20)

#endif
