/* Finds the real functions of libstdc++ that have interposers here. */
#ifndef RUNTIME_CXX_CXX_LOOKUP_H
#define RUNTIME_CXX_CXX_LOOKUP_H

#include <stdint.h>

/*
 * Returns the function `name` of libstdc++ for a caller at `pc`, or NULL if it does not exist.
 * Keeps the result in `known`. The first call looks the function up; that cannot be done earlier,
 * because a library that is loaded later may contain it.
 */
void *cxx_lookup_real(void *_Atomic *known, const char *name, uintptr_t pc);

/* For an interposer of `name`: declares `function`, a pointer to the real function. */
#define CXX_LOOKUP(type, function, name)                                                           \
	static void *_Atomic function##_known;                                                     \
	type *function = (type *)cxx_lookup_real(&function##_known, #name, RECORD_CALLER)

#endif
