/* Classifies calls for the recorder. */
#ifndef COMPILER_LLVM_CALLS_H
#define COMPILER_LLVM_CALLS_H

#include "compiler/common/known_calls.h"
#include "compiler/llvm/llvm.h"

/* Returns the linker name of a function. */
llvm::StringRef calls_name(const llvm::Function &function);

/* Returns the known function that the call calls directly, or NULL. */
const known_call *calls_find(const llvm::CallBase &call);

/* Does the call go to a function of the runtime that only reads and writes through its pointers? */
bool calls_runtime_only(const llvm::CallBase &call);

enum calls_meaning {
	CALL_NOTHING, /* runs no code that makes records */
	CALL_POINT,   /* a point: may make a record, runs no code of the program */
	/* calls the runtime: the call site is recorded, and its object, if any */
	CALL_SITE,
	CALL_OTHER, /* may run instrumented code */
};
calls_meaning calls_classify(const llvm::CallBase &call, llvm::Value **object);

/* May the program's own code run during a call for which calls_classify() returns CALL_SITE? */
bool calls_runs_program(const llvm::CallBase &call);

#endif
