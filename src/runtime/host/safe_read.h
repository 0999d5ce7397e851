/*
 * Looking at what a pointer of the program leads to, before the system or instead of it. Where a call is
 * given a bad one it fails with EFAULT and the program goes on: so it has to be here. What a call has
 * read without failing is there, and needs no look.
 */
#ifndef RUNTIME_HOST_SAFE_READ_H
#define RUNTIME_HOST_SAFE_READ_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Can all of it be read? Asked of the kernel for each page, some 100 ns. Another thread may unmap it a
 * moment later; it would do the same to the call.
 */
bool safe_read_can_read(const void *at, size_t bytes);

/* Copies what is there. False: it cannot be read, and `to` is as it was. */
bool safe_read(void *to, const void *from, size_t bytes);

#endif
