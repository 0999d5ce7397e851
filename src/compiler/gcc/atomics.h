/* The compiler's atomic built-ins (__atomic_*, __sync_*) become calls of the runtime. */
#ifndef GCC_ATOMICS_H
#define GCC_ATOMICS_H

#include "compiler/gcc/gcc.h"

/* Replaces the call at `gsi` if it is one. The iterator then stands at what took its place. */
void atomics_lower(gimple_stmt_iterator *gsi, gcall *call);

#endif
