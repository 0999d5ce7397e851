/* Memory within reach of a 32-bit displacement from all of a module. */
#ifndef RUNTIME_HOST_ALLOC_NEAR_H
#define RUNTIME_HOST_ALLOC_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define ALLOC_NEAR_REACH 0x7fff0000ull /* of a call */

/* Fresh, readable and writable; NULL: there is no room. */
void *alloc_near_map(uint64_t base, uint64_t end, size_t bytes);

#endif
