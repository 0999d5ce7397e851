/* Splits masked loads and stores into accesses of their parts: see masked.cc. */
#ifndef COMPILER_LLVM_MASKED_H
#define COMPILER_LLVM_MASKED_H

#include "compiler/llvm/llvm.h"

struct masked_split : llvm_required_pass<masked_split> {
	llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

#endif
