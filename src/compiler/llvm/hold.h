/* Reads of one of two places, kept from becoming a read of each. */
#ifndef COMPILER_LLVM_HOLD_H
#define COMPILER_LLVM_HOLD_H

#include "llvm/Passes/PassBuilder.h"

void hold_reads(llvm::PassBuilder &builder);

#endif
