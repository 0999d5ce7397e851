/*
 * The compiler's own sanitizer pass. Its flag is set, so that the front end marks the functions that are
 * to be recorded (sanitize_thread), but it must do nothing.
 */
#ifndef COMPILER_LLVM_OWN_PASS_H
#define COMPILER_LLVM_OWN_PASS_H

#include "llvm/Passes/PassBuilder.h"

void own_pass_silence(llvm::PassBuilder &builder);

#endif
