/* Reads that the source does not make: of both places where it reads one of two. */
#ifndef COMPILER_LLVM_CHOSEN_H
#define COMPILER_LLVM_CHOSEN_H

#include "compiler/llvm/llvm.h"

/* Runs wherever instructions have been combined, which is what makes them. */
struct chosen_reads : llvm::PassInfoMixin<chosen_reads> {
	llvm::PreservedAnalyses run(llvm::Function &function,
				    llvm::FunctionAnalysisManager &analyses);
	static bool isRequired()
	{
		return true;
	}
};

#endif
