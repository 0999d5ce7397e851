/*
 * Reading memory that a pointer of the program leads to: it may lead anywhere, and another thread may
 * unmap it meanwhile. What lies in the images of the program and its first libraries, or in the heap that
 * the program's break bounds, is read as it is; all else by the kernel, which says no where we would
 * crash. General registers only.
 */
#ifndef RUNTIME_POINT_READ_H
#define RUNTIME_POINT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool point_read(uint8_t *to, uint64_t from, size_t bytes);

/*
 * A text, at most so many bytes, and not what ends it. Returns its length, with POINT_STRING_CUT if
 * there is more, or POINT_STRING_UNREADABLE. Room for eight bytes more is needed.
 */
unsigned point_read_text(uint8_t *to, uint64_t from, unsigned most);

/* Before the first use, and in a fork child. */
void point_read_prepare(void);

#endif
