/* Mappings of the program: what the interposers and direct system calls have in common. */
#ifndef RUNTIME_MEMORY_MAPPING_H
#define RUNTIME_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * If the system call makes, moves or ends a mapping, or changes its access, makes the call, stores
 * its result as syscall() returns it, and returns true. `pc` is the address it was called from.
 */
bool mapping_system_call(long number, const long *arguments, uintptr_t pc, long *result);

#endif
