/* Prevents LLVM from turning a read of one of several variables into reads of all of them. */
#ifndef COMPILER_LLVM_HOLD_H
#define COMPILER_LLVM_HOLD_H

#include "compiler/llvm/llvm.h"

#include "llvm/Passes/PassBuilder.h"

/* Returns the object that contains an address: a variable, or a choice between variables. */
const llvm::Value *hold_object_of(const llvm::Value *address);

void hold_reads(llvm::PassBuilder &builder);

#endif
