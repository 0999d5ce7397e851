/* Addresses that are an element of an array: a base, an index, a scale. */
#ifndef COMPILER_LLVM_INDEXED_H
#define COMPILER_LLVM_INDEXED_H

#include "compiler/llvm/plan.h"

/* Finds the parts of all addresses in the plan that have some (access_index). */
void indexed_take_apart(const llvm::DataLayout &layout, plan &p);

#endif
