/*
 * Valgrind's client requests: inline assembler that does nothing unless valgrind runs the program.
 * Programs use them to declare their own synchronisation (helgrind.h, drd.h). The plugin adds a
 * call of the runtime before each, so that sooth learns of it as well
 * (runtime/annotate/valgrind_requests.c).
 */
#ifndef COMPILER_LLVM_REQUESTS_H
#define COMPILER_LLVM_REQUESTS_H

#include "compiler/llvm/llvm.h"

/* Inserts a call of __sooth_client_request before the asm, if that is a client request. */
void requests_announce(llvm::CallBase *call);

#endif
