/*
 * The dynamic loader. It may allocate memory at any moment: the first use of a library's
 * thread-local variable calls __tls_get_addr, and the compiler inserts that call after the plugin
 * has seen the code, so possibly in the middle of a segment. Only the loader uses this memory, so
 * its allocations and accesses are not recorded.
 */
#ifndef RUNTIME_HOST_LOADER_H
#define RUNTIME_HOST_LOADER_H

#include <stdbool.h>
#include <stdint.h>

bool loader_contains(uintptr_t pc);

#endif
