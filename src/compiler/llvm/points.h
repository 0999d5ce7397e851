/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns. They
 * are inserted at the start of the pipeline, before any function is inlined. So a program has the
 * same points at every optimisation level, and the same points as with gcc.
 */
#ifndef COMPILER_LLVM_POINTS_H
#define COMPILER_LLVM_POINTS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/Passes/PassBuilder.h"

void points_register(llvm::PassBuilder &builder);

/* Is this call the asm of a point? A segment must not be open across a point. */
bool points_is_point(const llvm::CallBase &call);

/* Named metadata of modules that have points. Such a module must be announced to the runtime. */
#define POINTS_IN_MODULE "sooth.points"

#endif
