/* Which code made a call: instrumented code, the runtime itself, or a library? */
#ifndef RUNTIME_HOST_CALLER_INSTRUMENTED_H
#define RUNTIME_HOST_CALLER_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is the code at `pc` neither instrumented nor in the C++ library (whose threads and locks are thin
 * wrappers)? Such code may hold locks that the runtime does not see, so the scheduler makes no
 * choice there. pc 0 stands for the runtime itself.
 */
bool caller_instrumented_caller(uintptr_t pc);

/* Is it the runtime itself? It opens files and maps memory through functions that it interposes. */
bool caller_instrumented_is_own(uintptr_t pc);

/*
 * Are operations of the code at `pc` on descriptors and mappings recorded? In a controlled run
 * every record is a step, and the steps of a thread must not depend on the schedule; what libraries
 * open and map on first use does depend on it.
 */
bool caller_instrumented_is_recorded(uintptr_t pc);

/* Finds the C++ library. To be called once, while only the first thread exists. */
void caller_instrumented_start(void);

#endif
