/* Whose call is it: of code that was compiled by us, or of a library's? */
#ifndef RUNTIME_HOST_CALLER_INSTRUMENTED_H
#define RUNTIME_HOST_CALLER_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is the code at `pc` neither instrumented nor of the C++ library (whose threads and locks are thin
 * wrappers)? Such code may hold locks that we do not see: no decision is made in it. 0 is our own.
 */
bool caller_instrumented_caller(uintptr_t pc);

/* Is it the runtime itself? It opens files and maps memory by the functions that it interposes. */
bool caller_instrumented_is_own(uintptr_t pc);

/*
 * Is what the code at `pc` does to descriptors and mappings recorded? In a controlled run a record is a
 * step, and a thread's steps may not depend on the schedule: what libraries open and map when they are
 * first needed does.
 */
bool caller_instrumented_is_recorded(uintptr_t pc);

/* Finds the C++ library; once, while no thread but the first is there. */
void caller_instrumented_start(void);

#endif
