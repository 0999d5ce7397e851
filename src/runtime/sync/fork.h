/* A process that multiplies by `syscall`, past the C library and its handlers (blocking_calls.c). */
#ifndef RUNTIME_SYNC_FORK_H
#define RUNTIME_SYNC_FORK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is it a call that makes a process with memory of its own, on a copy of this stack? `a` and `b` are its
 * first arguments. Before the call: what cannot be done with that is refused.
 */
bool fork_by_call(long number, long a, long b);

/* Behind it, in both processes, with what it returned. */
long fork_called(long result, uintptr_t pc);

#endif
