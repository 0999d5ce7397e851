/* Splits a read of either a local variable or something else into one read on each path. */
#ifndef COMPILER_LLVM_CHOSEN_H
#define COMPILER_LLVM_CHOSEN_H

#include "compiler/llvm/llvm.h"

/* Runs as early as LLVM allows: before local variables become registers, if possible. */
struct chosen_reads : llvm_required_pass<chosen_reads> {
	llvm::PreservedAnalyses run(llvm::Function &function,
				    llvm::FunctionAnalysisManager &analyses);
};

#endif
