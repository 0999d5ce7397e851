/* What a call means for the recorder. */
#ifndef COMPILER_LLVM_CALLS_H
#define COMPILER_LLVM_CALLS_H

#include "compiler/common/known_calls.h"
#include "compiler/llvm/llvm.h"

/* Returns the linker name of a function. */
llvm::StringRef calls_name(const llvm::Function &function);

/* Returns the known function that is called directly, or NULL. */
const known_call *calls_find(const llvm::CallBase &call);

/*
 * Returns whether the call goes to the runtime, which only reads and writes through its pointers.
 */
bool calls_runtime_only(const llvm::CallBase &call);

enum calls_meaning {
	CALL_NOTHING, /* runs no code that records */
	CALL_POINT,   /* a point: may write a record, does not run the program's code */
	/* calls the runtime: the call site is recorded, and the object if there is one */
	CALL_SITE,
	CALL_OTHER, /* may run instrumented code */
};
calls_meaning calls_classify(const llvm::CallBase &call, llvm::Value **object);

/*
 * Returns whether the program's own code may run during a call that calls_classify() reports as
 * CALL_SITE.
 */
bool calls_runs_program(const llvm::CallBase &call);

#endif
