/* Which memory references are recorded, and what their addresses are computed from. */
#ifndef GCC_ACCESS_H
#define GCC_ACCESS_H

#include "compiler/gcc/gcc.h"

/*
 * Returns whether another thread can see or change the referenced memory. False only where that is
 * proven: objects that do not escape (points-to analysis), thread-local variables whose address is
 * never taken, constants, registers.
 */
bool access_is_shared(tree ref);

/* Size of a reference in bytes; -1 if it is not constant. */
HOST_WIDE_INT access_size(tree ref);

/* An address, split into a base and a constant offset. */
struct access_address {
	/* an SSA name (a pointer) or a declaration; NULL: `ref` cannot be split */
	tree base;
	HOST_WIDE_INT offset;
	bool is_static; /* `base` is a variable whose address the linker knows */
	tree ref;
};
access_address access_split(tree ref);

/*
 * Returns the value of the base (its address if it is a declaration) as a gimple operand, computed
 * before `gsi`.
 */
tree access_compute(gimple_stmt_iterator *gsi, const access_address &address);

/* For an address without a base: computes the whole address before `gsi` and makes it the base. */
void access_make_base(gimple_stmt_iterator *gsi, access_address *address);

#endif
