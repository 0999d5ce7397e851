/*
 * Replaces atomic operations by calls of the runtime, which performs and records them
 * (runtime/memory/atomic.c).
 */
#ifndef COMPILER_LLVM_ATOMICS_H
#define COMPILER_LLVM_ATOMICS_H

#include "compiler/llvm/llvm.h"

void atomics_lower(llvm::Function &function);

#endif
