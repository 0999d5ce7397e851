/* The destructors of thread-specific data. The C library does not tell which there are. */
#ifndef RUNTIME_SYNC_KEYS_H
#define RUNTIME_SYNC_KEYS_H

#include <stdbool.h>

/*
 * Runs one round of the calling thread's destructors, in the library's order: by key, starting with
 * `from` and without `but`. Returns false if no value was left.
 */
bool keys_run_destructors(unsigned from, unsigned but);

#endif
