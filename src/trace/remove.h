/* Removing a recording: its directory, with all that is in it. Anything else stays. */
#ifndef TRACE_REMOVE_H
#define TRACE_REMOVE_H

#include <stdbool.h>

/* False: there is none, or it cannot be removed (errno). */
bool trace_remove(const char *directory);

/* Is there a recording? If something else has that name, errno is EEXIST. */
bool trace_is_there(const char *directory);

#endif
