/* Removes and moves recordings, directories with all their files, and nothing else. */
#ifndef TRACE_REMOVE_H
#define TRACE_REMOVE_H

#include <stdbool.h>

/* Returns false if there is no recording or it cannot be removed (errno). */
bool trace_remove(const char *directory);

/* Is there a recording? If something else has that name, errno is EEXIST. */
bool trace_exists(const char *directory);

/*
 * Moves a recording to an unused name, on another disk if need be. Returns false (errno) if it is
 * still where it was.
 */
bool trace_move(const char *from, const char *to);

#endif
