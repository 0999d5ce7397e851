/*
 * The dynamic loader. It allocates in the middle of anything: the first use of a thread-local
 * variable of a library comes to __tls_get_addr, which the compiler inserts after we have seen the
 * code, so possibly while a segment is half written. What the loader does with its memory is its
 * own business, and no record of it is made.
 */
#ifndef RUNTIME_HOST_LOADER_H
#define RUNTIME_HOST_LOADER_H

#include <stdbool.h>
#include <stdint.h>

bool loader_contains(uintptr_t pc);

#endif
