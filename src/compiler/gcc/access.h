/* Decides which memory references are recorded, and splits their addresses. */
#ifndef GCC_ACCESS_H
#define GCC_ACCESS_H

#include "compiler/gcc/gcc.h"

/*
 * Can another thread see or change the referenced memory? Returns false only if that is proven to
 * be impossible: for objects that do not escape (points-to analysis), thread-local variables whose
 * address is never taken, constants, and registers.
 */
bool access_is_shared(tree ref);

/* Returns the size of a reference in bytes, or -1 if it is not constant. */
HOST_WIDE_INT access_size(tree ref);

/* An address, split into a base and a constant offset. */
struct access_address {
	/* An SSA name (a pointer) or a declaration. NULL if `ref` cannot be split. */
	tree base;
	HOST_WIDE_INT offset;
	bool is_static; /* `base` is a variable whose address the linker knows */
	tree ref;
};
access_address access_split(tree ref);

/*
 * Inserts code before `gsi` that computes the base (if it is a declaration: its address). Returns
 * the result as a gimple operand.
 */
tree access_compute(gimple_stmt_iterator *gsi, const access_address &address);

/*
 * For an address without a base: inserts code before `gsi` that computes the whole address, and
 * makes the result the base.
 */
void access_make_base(gimple_stmt_iterator *gsi, access_address *address);

#endif
