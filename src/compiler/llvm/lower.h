/*
 * Before instrumentation: instructions that access memory in passing are taken apart, so that each
 * access is an instruction of its own, and what the runtime is to do becomes a call of it.
 */
#ifndef COMPILER_LLVM_LOWER_H
#define COMPILER_LLVM_LOWER_H

#include "compiler/llvm/access.h"

void lower_function(llvm::Function &function, access_sharing &sharing);

/* Copies and fills that a segment can hold; others are calls by now. */
bool lower_is_inline(const llvm::MemIntrinsic &stmt);

#endif
