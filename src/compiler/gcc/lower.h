/*
 * Preparation before a function is instrumented: splits statements that access memory as a side
 * effect, so that each access is an assignment of its own.
 */
#ifndef GCC_LOWER_H
#define GCC_LOWER_H

#include "compiler/gcc/gcc.h"
#include "event/event.h"

void lower_function(function *fn);

/*
 * Returns the reference as written in the source, for a statement that lower_function() made of it;
 * otherwise `ref`.
 */
tree lower_source_reference(gimple *stmt, tree ref);

/* What a call means for the recorder. */
enum lower_call {
	CALL_NOTHING, /* runs no code that records */
	CALL_EXIT,    /* the mark at the end of a function */
	/* calls the runtime: the call site is recorded, and the object if there is one */
	CALL_SITE,
	CALL_OTHER, /* may run instrumented code */
};
lower_call lower_classify(gcall *call, tree *object);

/*
 * Returns whether the program's own code may run during a call that lower_classify() reports as
 * CALL_SITE.
 */
bool lower_runs_program(gcall *call);

/* Returns what the records of such a call concern; EG_NOTE: anything. */
enum event_group lower_records_of(gcall *call);

#endif
