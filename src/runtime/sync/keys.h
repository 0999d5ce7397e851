/* The destructors of thread-specific data, which the C library keeps to itself. */
#ifndef RUNTIME_SYNC_KEYS_H
#define RUNTIME_SYNC_KEYS_H

#include <stdbool.h>

/*
 * One round of the calling thread's destructors, from a key on, as the library makes it: by number.
 * `but` is left out. False: no value was left.
 */
bool keys_destroy(unsigned from, unsigned but);

#endif
