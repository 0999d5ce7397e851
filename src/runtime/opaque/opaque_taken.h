/* Which functions of a module other code may call through a pointer, or by their names. */
#ifndef RUNTIME_OPAQUE_OPAQUE_TAKEN_H
#define RUNTIME_OPAQUE_OPAQUE_TAKEN_H

#include "runtime/opaque/opaque_frame.h"

#include <link.h>

/*
 * Sets taken[i] for each such function of `frames`. Some that are never called so may be among
 * them.
 */
void opaque_taken_find(const struct dl_phdr_info *object, const struct opaque_frames *frames,
		       bool *taken);

#endif
