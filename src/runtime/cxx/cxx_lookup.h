/* Finds the real functions of libstdc++ that have interposers here. */
#ifndef RUNTIME_CXX_CXX_LOOKUP_H
#define RUNTIME_CXX_CXX_LOOKUP_H

#include <stdint.h>

/*
 * Returns the function for a caller at `pc`, or NULL if it does not exist. It is looked up when it
 * is first needed, because a library that is loaded later may contain it, and kept in `known`.
 */
void *cxx_lookup_real(void *_Atomic *known, const char *name, uintptr_t pc);

/* In an interposer of `name`: declares `function`, which points to the real one. */
#define CXX_LOOKUP(type, function, name)                                                           \
	static void *_Atomic function##_known;                                                     \
	type *function = (type *)cxx_lookup_real(&function##_known, #name, RECORD_CALLER)

#endif
