/*
 * Valgrind's client requests: assembler that does nothing, unless valgrind runs it. Programs say by
 * them what they synchronise (helgrind.h, drd.h); in front of each the runtime is told as well.
 */
#ifndef COMPILER_GCC_REQUESTS_H
#define COMPILER_GCC_REQUESTS_H

#include "compiler/gcc/gcc.h"

/* Puts a call of __sooth_client_request before the statement, if it is such a request. */
void requests_tell(gimple_stmt_iterator *gsi, gasm *stmt);

#endif
