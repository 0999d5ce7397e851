/* From what the source passes to what LLVM passes. */
#ifndef COMPILER_LLVM_POINT_VALUES_H
#define COMPILER_LLVM_POINT_VALUES_H

#include "compiler/llvm/point_asm.h"

#include "llvm/IR/IRBuilder.h"

/* Values that LLVM passes, with what is said of them. */
struct passed_value {
	llvm::Value *value;
	bool is_copy;	/* byval: the address of a copy */
	bool is_result; /* sret: where the result goes */
	bool is_unsigned;
};

std::vector<passed_value> point_passed(llvm::Function &function);
std::vector<passed_value> point_passed(llvm::CallBase &call);

/* The arguments. By LLVM's types alone if they do not fit. */
std::vector<point_value> point_arguments(const llvm::DataLayout &layout,
					 const std::vector<passed_value> &passed,
					 const std::vector<seen_type> *types);

/* A result: of a call, or what a function returns. Code that takes it apart goes to the builder. */
point_value point_result(llvm::IRBuilder<> &builder, llvm::Value *value, const seen_type *type);

#endif
