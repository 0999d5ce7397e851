/* Announces code that is not recorded: see opaque.cc. */
#ifndef GCC_OPAQUE_H
#define GCC_OPAQUE_H

#include "compiler/gcc/gcc.h"

/* Adds a call of __sooth_opaque() before the statement at `gsi` if that may order threads. */
void opaque_announce_asm(gimple_stmt_iterator *gsi, gasm *stmt);
/*
 * If the statement at `gsi` calls a function without recording, adds such a call before and after
 * it, and returns true. The iterator then stands at the last of them in its block. The same for
 * builtins of the processor (common/builtin_order.h), without a call after them.
 */
bool opaque_announce_call(gimple_stmt_iterator *gsi, gcall *call);

/* Is it __sooth_opaque()? A call of it has no SITE: the record that it causes comes later. */
bool opaque_is_announcement(tree function);

#endif
