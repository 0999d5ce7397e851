/* Announces code that is not recorded: see opaque.cc. */
#ifndef COMPILER_LLVM_OPAQUE_H
#define COMPILER_LLVM_OPAQUE_H

#include "compiler/llvm/access.h"

/*
 * Adds a call of __sooth_opaque() before inline assembly that may order threads, and before and
 * after a call of a function without recording.
 */
void opaque_announce(llvm::CallBase *call, access_sharing &sharing);

/* Is it a call of __sooth_opaque()? It has no SITE: the record that it causes comes later. */
bool opaque_is_announcement(const llvm::CallBase &call);

#endif
