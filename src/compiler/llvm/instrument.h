/* The passes that instrument a module. */
#ifndef COMPILER_LLVM_INSTRUMENT_H
#define COMPILER_LLVM_INSTRUMENT_H

#include "compiler/llvm/llvm.h"

/*
 * Runs before any optimisation: forbids the optimisations that must not be applied to recorded
 * code.
 */
struct instrument_begin : llvm_required_pass<instrument_begin> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/* Instruments a function. Does nothing for a function that is instrumented already. */
struct instrument_function : llvm_required_pass<instrument_function> {
	llvm::PreservedAnalyses run(llvm::Function &function,
				    llvm::FunctionAnalysisManager &analyses);
};

/* Runs at the end: adds the code that announces the module to the runtime. */
struct instrument_end : llvm_required_pass<instrument_end> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

#endif
