/*
 * Disables LLVM's own sanitizer pass. The flag -fsanitize=thread is set so that the front end marks
 * the functions that are to be recorded (sanitize_thread), but the pass itself must do nothing.
 */
#ifndef COMPILER_LLVM_OWN_PASS_H
#define COMPILER_LLVM_OWN_PASS_H

#include "llvm/Passes/PassBuilder.h"

void own_pass_disable(llvm::PassBuilder &builder);

#endif
