/* Allocates memory that all code of a module can reach with a 32-bit displacement. */
#ifndef RUNTIME_HOST_ALLOC_NEAR_H
#define RUNTIME_HOST_ALLOC_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define ALLOC_NEAR_REACH 0x7fff0000ull /* the largest distance that a call can span */

/*
 * Allocates readable and writable memory near the module at [base, end). Returns NULL if no free
 * address is close enough.
 */
void *alloc_near_map(uint64_t base, uint64_t end, size_t bytes);

#endif
