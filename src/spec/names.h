/*
 * Resolves names of parameters, locals, events and productions to indices. Reports names that are
 * declared twice. Reports undeclared names, unless they might be names of the program.
 */
#ifndef SPEC_NAMES_H
#define SPEC_NAMES_H

#include "base/arena.h"
#include "spec/spec.h"

void names_resolve(struct spec_file *file, struct arena *arena, struct spec_messages *messages);

#endif
