/*
 * Preparation before a function is instrumented: splits instructions that access memory as a side
 * effect, so that each access is an instruction of its own, and replaces what the runtime has to do
 * by calls.
 */
#ifndef COMPILER_LLVM_LOWER_H
#define COMPILER_LLVM_LOWER_H

#include "compiler/llvm/access.h"

void lower_function(llvm::Function &function, access_sharing &sharing);

/*
 * Returns whether a segment can hold this copy or fill. lower_function() has replaced others by
 * calls.
 */
bool lower_is_inline(const llvm::MemIntrinsic &stmt);

#endif
