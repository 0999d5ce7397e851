/* Addresses of array elements: a base, an index and a scale. */
#ifndef COMPILER_LLVM_INDEXED_H
#define COMPILER_LLVM_INDEXED_H

#include "compiler/llvm/plan.h"

/* Finds all addresses in the plan that are those of array elements, and sets their access_index. */
void indexed_split(const llvm::DataLayout &layout, plan &p);

#endif
