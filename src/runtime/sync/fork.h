/* Forks by `syscall` (blocking_calls.c). They bypass the C library and its fork handlers. */
#ifndef RUNTIME_SYNC_FORK_H
#define RUNTIME_SYNC_FORK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does the system call create a process with separate memory that runs on a copy of this stack? `a`
 * and `b` are its first arguments. To be called before the system call. If it does and the run
 * cannot support that, ends the run.
 */
bool fork_by_call(long number, long a, long b);

/*
 * To be called after such a system call, in both processes. `result` is what the system call
 * returned; it is returned.
 */
long fork_called(long result, uintptr_t pc);

#endif
