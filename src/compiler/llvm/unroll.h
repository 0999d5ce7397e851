/* Short loops over memory, unrolled before they are recorded: several rounds are one segment then. */
#ifndef COMPILER_LLVM_UNROLL_H
#define COMPILER_LLVM_UNROLL_H

#include "compiler/llvm/access.h"

void unroll_short_loops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

#endif
