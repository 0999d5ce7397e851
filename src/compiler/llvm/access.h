/* Which memory references are events, and how their addresses are said. */
#ifndef COMPILER_LLVM_ACCESS_H
#define COMPILER_LLVM_ACCESS_H

#include "compiler/llvm/llvm.h"

#include <map>
#include <memory>

/* The bytes that a load or a store of this type moves. */
uint64_t access_size(const llvm::DataLayout &layout, llvm::Type *type);

struct access_index;

/* An address taken apart: what it is computed from, and a constant. */
struct access_address {
	llvm::Value *base = nullptr; /* a pointer, or a variable */
	int64_t offset = 0;
	bool is_static = false;		/* `base` is a variable whose address the linker knows */
	llvm::Value *pointer = nullptr; /* all of it */
	std::shared_ptr<access_index>
		index; /* what `base` is computed from; or none (indexed.cc) */
};

/* An address that is an array's element: array + offset + index * scale. */
struct access_index {
	access_address array; /* its offset is in `offset` */
	int64_t offset = 0;
	llvm::Value *number = nullptr; /* the index is that, cut to `width` bytes and extended */
	unsigned width = 0;
	bool is_signed = false;
	unsigned scale = 0;
	llvm::Value *recorded = nullptr; /* `number`, or what it is but for a constant */
	unsigned bytes = 0;		 /* that `recorded` takes in a record; 0: too many */
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
