/* Which memory references are events, and how their addresses are said. */
#ifndef GCC_ACCESS_H
#define GCC_ACCESS_H

#include "compiler/gcc/gcc.h"

/*
 * Can another thread see or disturb this reference? False only where that is proven: objects that
 * do not escape (points-to analysis), thread-local variables whose address is nowhere taken,
 * constants, registers.
 */
bool access_is_shared(tree ref);

/* Bytes of a reference; -1 when not constant. */
HOST_WIDE_INT access_size(tree ref);

/* An address taken apart: what it is computed from, and a constant. */
struct access_address {
	/* An SSA name (a pointer), a declaration, or NULL: then nothing simpler than `ref`. */
	tree base;
	HOST_WIDE_INT offset;
	bool is_static; /* `base` is a variable whose address the linker knows */
	tree ref;
};
access_address access_take_apart(tree ref);

/* The base's value, or its address if it is a declaration, as a gimple operand before `gsi`. */
tree access_compute(gimple_stmt_iterator *gsi, const access_address &address);

/* For an address with no base: computes all of it before `gsi` and makes that the base. */
void access_make_base(gimple_stmt_iterator *gsi, access_address *address);

#endif
