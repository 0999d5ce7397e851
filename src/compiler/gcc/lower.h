/*
 * Before instrumentation: statements that access memory in passing are taken apart, so that each
 * access is an assignment of its own.
 */
#ifndef GCC_LOWER_H
#define GCC_LOWER_H

#include "compiler/gcc/gcc.h"
#include "event/event.h"

void lower_function(function *fn);

/* The reference as the source has it, for a statement that lower_function made of it. */
tree lower_named(gimple *stmt, tree ref);

/* What a call means for the recorder. */
enum lower_call {
	CALL_NOTHING, /* runs no code that records */
	CALL_EXIT,    /* the mark of the function's end */
	CALL_SITE,  /* goes to the runtime: the place, and the object if it has one, is recorded */
	CALL_OTHER, /* may run instrumented code */
};
lower_call lower_classify(gcall *call, tree *object);

/* May the program's own code run in this call of a function that lower_classify calls a site? */
bool lower_runs_program(gcall *call);

/* What the records of such a call are about; EG_NOTE: anything. */
enum event_group lower_records_of(gcall *call);

#endif
