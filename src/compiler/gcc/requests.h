/* Announces Valgrind's client requests (common/client_request.h) to the runtime. */
#ifndef COMPILER_GCC_REQUESTS_H
#define COMPILER_GCC_REQUESTS_H

#include "compiler/gcc/gcc.h"

/* Inserts a call of __sooth_client_request before the statement, if that is a client request. */
void requests_announce(gimple_stmt_iterator *gsi, gasm *stmt);

#endif
