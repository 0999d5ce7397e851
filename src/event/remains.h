/* The trace's file `remains`: segments of the program's memory as they were at its end. */
#ifndef EVENT_REMAINS_H
#define EVENT_REMAINS_H

#include <stdint.h>

/* In front of `size` bytes. */
struct remains_segment {
	uint64_t address, size;
};

/* A program with more than that is not kept. */
#define REMAINS_MOST (16u << 20)

#endif
