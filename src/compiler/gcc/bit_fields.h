/* Splits accesses to bit-fields into accesses to the bytes of their memory location. */
#ifndef GCC_BIT_FIELDS_H
#define GCC_BIT_FIELDS_H

#include "compiler/gcc/gcc.h"

/* If the assignment at `gsi` accesses a bit-field in memory, lowers it and returns true. */
bool bit_fields_lower(gimple_stmt_iterator *gsi);

/*
 * If bit_fields_lower() has made the statement, returns the reference as written in the source.
 * Otherwise returns `ref`.
 */
tree bit_fields_source_reference(gimple *stmt, tree ref);

/* Call before each function. */
void bit_fields_begin(void);

#endif
