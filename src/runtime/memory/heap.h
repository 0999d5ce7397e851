/* The heap, for functions that allocate on behalf of their caller. */
#ifndef RUNTIME_MEMORY_HEAP_H
#define RUNTIME_MEMORY_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* If the next malloc of this thread calls our interposer, it is recorded as called from `pc`. */
void heap_call_from(uintptr_t pc);

#endif
