/*
 * Unrolls short loops over memory before they are recorded, so that one segment holds several
 * iterations.
 */
#ifndef COMPILER_LLVM_UNROLL_H
#define COMPILER_LLVM_UNROLL_H

#include "compiler/llvm/access.h"

void unroll_short_loops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

#endif
