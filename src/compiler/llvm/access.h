/* Which memory references are events, and how their addresses are said. */
#ifndef COMPILER_LLVM_ACCESS_H
#define COMPILER_LLVM_ACCESS_H

#include "compiler/llvm/llvm.h"

#include <map>

/* The bytes that a load or a store of this type moves. */
uint64_t access_size(const llvm::DataLayout &layout, llvm::Type *type);

/* An address taken apart: what it is computed from, and a constant. */
struct access_address {
	llvm::Value *base = nullptr; /* a pointer, or a variable */
	int64_t offset = 0;
	bool is_static = false;		/* `base` is a variable whose address the linker knows */
	llvm::Value *pointer = nullptr; /* all of it */
};
access_address access_take_apart(const llvm::DataLayout &layout, llvm::Value *pointer);

/*
 * Can another thread see or disturb what a pointer points at? False only where that is proven:
 * locals whose address goes nowhere, thread-local variables of which the same is true, constants.
 * Answers are kept: ask before the function is changed.
 */
class access_sharing
{
      public:
	bool is_shared(const llvm::Value *pointer);

      private:
	std::map<const llvm::Value *, bool> answers;
	bool is_private_object(const llvm::Value *object);
	bool escapes(const llvm::Value *object);
};

#endif
