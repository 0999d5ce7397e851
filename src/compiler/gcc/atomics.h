/*
 * Replaces the compiler's atomic built-ins (__atomic_*, __sync_*) by calls of the runtime, which
 * performs and records the operation (runtime/memory/atomic.c).
 */
#ifndef GCC_ATOMICS_H
#define GCC_ATOMICS_H

#include "compiler/gcc/gcc.h"

/*
 * Replaces the call at `gsi` if it is an atomic built-in. Afterwards the iterator points to the
 * replacement.
 */
void atomics_lower(gimple_stmt_iterator *gsi, gcall *call);

#endif
