/* The passes that instrument a module. */
#ifndef COMPILER_LLVM_INSTRUMENT_H
#define COMPILER_LLVM_INSTRUMENT_H

#include "compiler/llvm/llvm.h"

/* Before any optimisation: forbids what the optimiser must not do to code that will be recorded. */
struct instrument_begin : llvm::PassInfoMixin<instrument_begin> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
	static bool isRequired()
	{
		return true;
	}
};

/* Instruments a function, once. */
struct instrument_function : llvm::PassInfoMixin<instrument_function> {
	llvm::PreservedAnalyses run(llvm::Function &function,
				    llvm::FunctionAnalysisManager &analyses);
	static bool isRequired()
	{
		return true;
	}
};

/* At the end: announces the module to the runtime. */
struct instrument_end : llvm::PassInfoMixin<instrument_end> {
	llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
	static bool isRequired()
	{
		return true;
	}
};

#endif
