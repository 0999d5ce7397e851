/*
 * From names to numbers: parameters, locals, events, productions. Complains of what is declared
 * twice and of what is not declared though the file alone can say so.
 */
#ifndef SPEC_NAMES_H
#define SPEC_NAMES_H

#include "base/arena.h"
#include "spec/spec.h"

void names_resolve(struct spec_file *file, struct arena *arena, struct spec_messages *messages);

#endif
