/*
 * Valgrind's client requests: inline assembler that does nothing unless valgrind runs the program.
 * Programs use them to declare their own synchronisation (helgrind.h, drd.h). The plugin adds a
 * call of the runtime before each, so that sooth learns of it as well
 * (runtime/annotate/valgrind_requests.c).
 */
#ifndef COMPILER_GCC_REQUESTS_H
#define COMPILER_GCC_REQUESTS_H

#include "compiler/gcc/gcc.h"

/* Inserts a call of __sooth_client_request before the statement, if that is a client request. */
void requests_announce(gimple_stmt_iterator *gsi, gasm *stmt);

#endif
