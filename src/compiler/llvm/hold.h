/* Reads of one of several places, kept from becoming a read of each. */
#ifndef COMPILER_LLVM_HOLD_H
#define COMPILER_LLVM_HOLD_H

#include "compiler/llvm/llvm.h"

#include "llvm/Passes/PassBuilder.h"

/* What a place is a part of: a variable, or a choice between such. */
const llvm::Value *hold_whole(const llvm::Value *place);

void hold_reads(llvm::PassBuilder &builder);

#endif
