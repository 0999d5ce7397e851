/*
 * The dynamic loader. It may allocate memory at any moment, even in the middle of a segment: the
 * first use of a library's thread-local variable calls __tls_get_addr, and the compiler inserts
 * that call after the plugin has seen the code. Only the loader uses the memory that it allocates,
 * so its allocations and accesses are not recorded.
 */
#ifndef RUNTIME_HOST_LOADER_H
#define RUNTIME_HOST_LOADER_H

#include <stdbool.h>
#include <stdint.h>

bool loader_contains(uintptr_t pc);

#endif
