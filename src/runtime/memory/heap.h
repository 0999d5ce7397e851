/* The heap, for functions that allocate in the name of their caller. */
#ifndef RUNTIME_MEMORY_HEAP_H
#define RUNTIME_MEMORY_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* The next call of malloc in this thread, if it comes to ours, is recorded as called from `pc`. */
void heap_call_from(uintptr_t pc);

#endif
