/* Functions of libstdc++ that have an interposer here. */
#ifndef RUNTIME_CXX_CXX_LOOKUP_H
#define RUNTIME_CXX_CXX_LOOKUP_H

#include <stdint.h>

/*
 * Looked up when it is needed first, since what is loaded later may have it, for who calls from `pc`; kept
 * in `known`. NULL: nobody has it.
 */
void *cxx_lookup_real(void *_Atomic *known, const char *name, uintptr_t pc);

#endif
