/* Decides which memory references are recorded, and splits their addresses. */
#ifndef COMPILER_LLVM_ACCESS_H
#define COMPILER_LLVM_ACCESS_H

#include "compiler/llvm/llvm.h"

#include <map>
#include <memory>

/* Returns the number of bytes that a load or a store of this type moves. */
uint64_t access_size(const llvm::DataLayout &layout, llvm::Type *type);

struct access_index;

/* An address, split into a base and a constant offset. */
struct access_address {
	llvm::Value *base = nullptr; /* a pointer, or a variable */
	int64_t offset = 0;
	bool is_static = false;		/* `base` is a variable whose address the linker knows */
	llvm::Value *pointer = nullptr; /* the whole address */
	std::shared_ptr<access_index>
		index; /* how to compute `base`, if it is an array element (indexed.cc) */
};

/* The address of an array element: array + offset + index * scale. */
struct access_index {
	access_address array; /* `offset` below includes its offset */
	int64_t offset = 0;
	/* The index is `number`, truncated to `width` bytes and then extended. */
	llvm::Value *number = nullptr;
	unsigned width = 0;
	bool is_signed = false;
	unsigned scale = 0;
	llvm::Value *recorded = nullptr; /* `number`, or x if `number` is x + constant */
	unsigned bytes = 0;		 /* bytes of `recorded` in a record; 0: too many */
};
access_address access_split(const llvm::DataLayout &layout, llvm::Value *pointer);

/*
 * Can another thread see or change what a pointer points to? Returns false only if that is proven
 * to be impossible: for locals whose address does not escape, thread-local variables for which the
 * same is true, and constants. Results are cached, so ask before the function is changed.
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
