/*
 * Valgrind's client requests: a sequence of instructions that does nothing, by which a program tells
 * helgrind of its own synchronisation. The runtime is told the same (runtime/annotate/valgrind_requests.c).
 */
#ifndef COMPILER_LLVM_REQUESTS_H
#define COMPILER_LLVM_REQUESTS_H

#include "compiler/llvm/llvm.h"

/* If the asm is a request, a call of the runtime with its operands comes before it. */
void requests_lower(llvm::CallBase *call);

#endif
