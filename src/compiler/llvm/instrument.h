/* The passes that instrument a module. */
#ifndef COMPILER_LLVM_INSTRUMENT_H
#define COMPILER_LLVM_INSTRUMENT_H

#include "compiler/llvm/llvm.h"

/* Before any optimisation: forbids what the optimiser must not do to code that will be recorded. */
struct instrument_begin : llvm_required_pass<instrument_begin> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/* Instruments a function, once. */
struct instrument_function : llvm_required_pass<instrument_function> {
	llvm::PreservedAnalyses run(llvm::Function &function,
				    llvm::FunctionAnalysisManager &analyses);
};

/* At the end: announces the module to the runtime. */
struct instrument_end : llvm_required_pass<instrument_end> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

#endif
