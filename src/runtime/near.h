/* Memory within reach of a 32-bit displacement from all of a module. */
#ifndef RUNTIME_NEAR_H
#define RUNTIME_NEAR_H

#include <stddef.h>
#include <stdint.h>

#define NEAR_REACH 0x7fff0000ull /* of a call */

/* Fresh, readable and writable; NULL: there is no room. */
void *near_map(uint64_t base, uint64_t end, size_t bytes);

#endif
