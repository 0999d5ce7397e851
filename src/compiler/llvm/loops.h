/*
 * Finds pointers that a loop does not change, or changes in a way that the reader of a trace can
 * compute.
 */
#ifndef COMPILER_LLVM_LOOPS_H
#define COMPILER_LLVM_LOOPS_H

#include "compiler/llvm/plan.h"

/* Adds to p.known proposals of values to record before loops. */
void loops_find(llvm::Function &function, llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
		plan &p);

#endif
