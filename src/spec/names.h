/*
 * Resolves names to indices: parameters, locals, events and productions. Reports names that are
 * declared twice, and names that the file alone shows to be undeclared.
 */
#ifndef SPEC_NAMES_H
#define SPEC_NAMES_H

#include "base/arena.h"
#include "spec/spec.h"

void names_resolve(struct spec_file *file, struct arena *arena, struct spec_messages *messages);

#endif
