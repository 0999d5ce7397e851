/* The destructors of thread-specific data. The C library has no function that lists them. */
#ifndef RUNTIME_SYNC_KEYS_H
#define RUNTIME_SYNC_KEYS_H

#include <stdbool.h>

/*
 * Runs one round of the calling thread's destructors, by ascending key as in the library, starting
 * with key `from` and without key `but`. Returns false if no key had a value.
 */
bool keys_run_destructors(unsigned from, unsigned but);

#endif
