/* Announces Valgrind's client requests (common/client_request.h) to the runtime. */
#ifndef COMPILER_LLVM_REQUESTS_H
#define COMPILER_LLVM_REQUESTS_H

#include "compiler/llvm/llvm.h"

/* Inserts a call of __sooth_client_request before the asm, if that is a client request. */
void requests_announce(llvm::CallBase *call);

#endif
