/*
 * Prepares a function for instrumentation: splits statements that access memory as a side effect,
 * so that each access is a separate assignment.
 */
#ifndef GCC_LOWER_H
#define GCC_LOWER_H

#include "compiler/gcc/gcc.h"
#include "event/event.h"

void lower_function(function *fn);

/* Kinds of calls, for the recorder. */
enum lower_call {
	CALL_NOTHING, /* runs no code that makes records */
	CALL_EXIT,    /* the sanitizer's mark at the end of a function */
	/* calls the runtime: the call site is recorded, and its object, if any */
	CALL_SITE,
	CALL_OTHER, /* may run instrumented code */
};
lower_call lower_classify(gcall *call, tree *object);

/* May the program's own code run during a call for which lower_classify() returns CALL_SITE? */
bool lower_runs_program(gcall *call);

/* Returns the field `size` of the SITE of such a call. */
uint16_t lower_site_size(gcall *call);

#endif
