/*
 * Prepares a function for instrumentation: splits instructions that access memory as a side effect,
 * so that each access is a separate instruction, and inserts calls for what the runtime has to do.
 */
#ifndef COMPILER_LLVM_LOWER_H
#define COMPILER_LLVM_LOWER_H

#include "compiler/llvm/access.h"

void lower_function(llvm::Function &function, access_sharing &sharing);

/* Can a segment hold this copy or fill? lower_function() has replaced all others by calls. */
bool lower_is_inline(const llvm::MemIntrinsic &stmt);

#endif
