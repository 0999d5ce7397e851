/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns. They
 * are inserted at the start of the pipeline, before anything is inlined, so a program has the same
 * points at every optimisation level, and the same as with gcc.
 */
#ifndef COMPILER_LLVM_POINTS_H
#define COMPILER_LLVM_POINTS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/Passes/PassBuilder.h"

void points_register(llvm::PassBuilder &builder);

/* Returns whether this call is the asm of a point. A segment must not be open across it. */
bool points_is_point(const llvm::CallBase &call);

/* Named metadata of modules that have points: such a module must be announced to the runtime. */
#define POINTS_IN_MODULE "sooth.points"

#endif
