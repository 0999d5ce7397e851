/* The heap, for functions that allocate in the name of their caller. */
#ifndef RUNTIME_HEAP_H
#define RUNTIME_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* malloc, recorded as called from `pc`. */
void *heap_alloc(size_t size, uintptr_t pc);

#endif
