/*
 * Unrolls short loops with memory accesses before they are instrumented, so that one segment
 * contains several iterations.
 */
#ifndef COMPILER_LLVM_UNROLL_H
#define COMPILER_LLVM_UNROLL_H

#include "compiler/llvm/access.h"

void unroll_short_loops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

#endif
