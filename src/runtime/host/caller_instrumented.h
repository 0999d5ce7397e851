/* Classifies the caller of an interposer: instrumented code, the runtime itself, or a library. */
#ifndef RUNTIME_HOST_CALLER_INSTRUMENTED_H
#define RUNTIME_HOST_CALLER_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is the code at `pc` part of an uninstrumented library? The C++ library does not count, because
 * its threads and locks are thin wrappers. An uninstrumented library may hold locks that the
 * runtime does not see, so the scheduler makes no choice in it. pc 0 stands for the runtime itself;
 * the result is then false.
 */
bool caller_instrumented_caller(uintptr_t pc);

/*
 * Is the code at `pc` part of the runtime? The runtime opens files and maps memory through
 * functions that it interposes.
 */
bool caller_instrumented_is_own(uintptr_t pc);

/*
 * Are operations of the code at `pc` on descriptors and mappings recorded? In a controlled run,
 * operations of libraries are not: every record is a step, and the steps of a thread must not
 * depend on the schedule. But the schedule does determine which thread uses a library first, and
 * libraries open files and map memory on first use.
 */
bool caller_instrumented_is_recorded(uintptr_t pc);

/* Finds the C++ library. To be called once, before the program creates threads. */
void caller_instrumented_start(void);

#endif
