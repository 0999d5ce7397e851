/* Allocates memory that all code of a module can reach with a 32-bit displacement. */
#ifndef RUNTIME_HOST_ALLOC_NEAR_H
#define RUNTIME_HOST_ALLOC_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define ALLOC_NEAR_REACH 0x7fff0000ull /* reach of a call */

/* Returns new readable and writable memory, or NULL if there is no room. */
void *alloc_near_map(uint64_t base, uint64_t end, size_t bytes);

#endif
