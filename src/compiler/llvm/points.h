/*
 * Points of functions (event/point.h): NOPs where a function is called, starts and returns, placed at
 * the pipeline's start and before anything is inlined, so that a program has the same points at each
 * level of optimisation, and the same as with gcc.
 */
#ifndef COMPILER_LLVM_POINTS_H
#define COMPILER_LLVM_POINTS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/Passes/PassBuilder.h"

void points_register(llvm::PassBuilder &builder);

/* Is this call the asm of a point? Records must not be open across it. */
bool points_is_point(const llvm::CallBase &call);

/* Named metadata of modules that have points: the runtime must be told of such a module. */
#define POINTS_IN_MODULE "sooth.points"

#endif
