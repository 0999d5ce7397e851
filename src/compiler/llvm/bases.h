/*
 * Finds addresses that are a constant apart from another address that the reader will know: a[i]
 * and a[i + 1].
 */
#ifndef COMPILER_LLVM_BASES_H
#define COMPILER_LLVM_BASES_H

#include "compiler/llvm/plan.h"

void bases_share(llvm::Function &function, llvm::FunctionAnalysisManager &analyses, plan &p);

#endif
