/* Points of functions (event/point.h) for LLVM. */
#ifndef LLVM_POINTS_H
#define LLVM_POINTS_H

#include "compiler/llvm/llvm.h"

namespace llvm
{
class PassBuilder;
}

static inline void points_register(llvm::PassBuilder &)
{
}

/* Is this asm a point? Records must not be open across it. */
static inline bool points_is_point(const llvm::CallBase &)
{
	return false;
}

#endif
