/*
 * Reads memory that a pointer of the program refers to, before or instead of a system call with
 * that pointer. If the pointer is bad, the system call fails with EFAULT and the program continues.
 * So the runtime must not crash on it. Memory that a system call has read successfully needs no
 * such check.
 */
#ifndef RUNTIME_HOST_SAFE_READ_H
#define RUNTIME_HOST_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Can all of these bytes be read? Asks the kernel for each page, about 100 ns per page. Another
 * thread may unmap the memory a moment later, but it could do that during the system call, too.
 */
bool safe_read_can_read(const void *at, size_t bytes);

/* Copies the bytes. Returns false, and leaves `to` unchanged, if they cannot be read. */
bool safe_read(void *to, const void *from, size_t bytes);

#endif
