/* Which of the loaded ELF objects are opaque. */
#ifndef RUNTIME_OPAQUE_OPAQUE_OBJECTS_H
#define RUNTIME_OPAQUE_OPAQUE_OBJECTS_H

#include <stdbool.h>

/* Looks for objects that were loaded since the last call. The loader's lock may be held. */
void opaque_objects_update(void);

/* Is this function opaque although its library is modelled? */
bool opaque_objects_keeps_state(const char *function);

/* Is this function of an opaque library pure, or no more than a call of modelled functions? */
bool opaque_objects_is_harmless(const char *function);

#endif
