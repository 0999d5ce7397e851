/*
 * Reads memory that a pointer of the program refers to, before or instead of a system call. A call
 * that is given a bad pointer fails with EFAULT and the program continues, so the runtime must not
 * crash on it. Memory that a call has read successfully needs no such check.
 */
#ifndef RUNTIME_HOST_SAFE_READ_H
#define RUNTIME_HOST_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Can all of it be read? Asks the kernel for each page, about 100 ns. Another thread may unmap the
 * memory a moment later; it could do the same to the call.
 */
bool safe_read_can_read(const void *at, size_t bytes);

/* Copies the bytes. Returns false, and leaves `to` unchanged, if they cannot be read. */
bool safe_read(void *to, const void *from, size_t bytes);

#endif
