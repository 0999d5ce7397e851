/* Removing and moving recordings: the directory with all that is in it. Anything else stays. */
#ifndef TRACE_REMOVE_H
#define TRACE_REMOVE_H

#include <stdbool.h>

/* False: there is none, or it cannot be removed (errno). */
bool trace_remove(const char *directory);

/* Is there a recording? If something else has that name, errno is EEXIST. */
bool trace_is_there(const char *directory);

/* To a name that is free, on another disk if need be. False (errno): it is where it was. */
bool trace_move(const char *from, const char *to);

#endif
