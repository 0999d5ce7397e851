/* Removes and moves recordings. Never removes a directory that is not a recording. */
#ifndef TRACE_REMOVE_H
#define TRACE_REMOVE_H

#include <stdbool.h>

/* Returns false if there is no recording or it cannot be removed (errno). */
bool trace_remove(const char *directory);

/* Is this directory a recording? If it exists but is not a recording, errno is EEXIST. */
bool trace_exists(const char *directory);

/*
 * Moves a recording to an unused name, possibly on another disk. Returns false (errno) if it could
 * not be copied, or could not be removed from its old directory.
 */
bool trace_move(const char *from, const char *to);

#endif
