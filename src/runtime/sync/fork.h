/* Forks by `syscall`, which bypass the C library and its fork handlers (blocking_calls.c). */
#ifndef RUNTIME_SYNC_FORK_H
#define RUNTIME_SYNC_FORK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does the call create a process with its own memory, on a copy of this stack? `a` and `b` are its
 * first arguments. Called before the call: a run that cannot support it ends here.
 */
bool fork_by_call(long number, long a, long b);

/* Called after it, in both processes, with what it returned. Returns `result`. */
long fork_called(long result, uintptr_t pc);

#endif
