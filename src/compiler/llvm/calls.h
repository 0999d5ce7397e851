/* What a call means for the recorder. */
#ifndef COMPILER_LLVM_CALLS_H
#define COMPILER_LLVM_CALLS_H

#include "compiler/llvm/llvm.h"
#include "event/event.h"

/* The functions of event/calls.def, by name. */
enum known_how { CALL_REDIRECT, CALL_OBJECT, CALL_PLACE };

struct known_call {
	const char *name;
	enum known_how how;
	unsigned argument;	/* which one points at the object */
	enum event_group group; /* what its records are about */
};

/* The name of a function as the linker has it. */
llvm::StringRef calls_name(const llvm::Function &function);

/* The known function that is called directly, or NULL. */
const known_call *calls_find(const llvm::CallBase &call);

/* Does the call go to the runtime, which does nothing with its pointers but to read and write? */
bool calls_keeps_pointers(const llvm::CallBase &call);

enum calls_meaning {
	CALL_NOTHING, /* runs no code that records */
	CALL_POINT, /* a point of a function: may write a record, runs none of the program's code */
	CALL_SITE,  /* goes to the runtime: the place, and the object if it has one, is recorded */
	CALL_OTHER, /* may run instrumented code */
};
calls_meaning calls_classify(const llvm::CallBase &call, llvm::Value **object);

/* May the program's own code run in this call of a function that calls_classify calls a site? */
bool calls_runs_program(const llvm::CallBase &call);

#endif
