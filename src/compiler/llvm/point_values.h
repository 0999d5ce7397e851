/* Maps the arguments and results of the source to the values that LLVM passes. */
#ifndef COMPILER_LLVM_POINT_VALUES_H
#define COMPILER_LLVM_POINT_VALUES_H

#include "compiler/llvm/point_asm.h"

#include "llvm/IR/IRBuilder.h"

/* A value that LLVM passes, with its attributes. */
struct passed_value {
	llvm::Value *value;
	bool is_copy;	/* byval: `value` is the address of a copy */
	bool is_result; /* sret: `value` is where the result is stored */
	bool is_unsigned;
};

std::vector<passed_value> point_passed(llvm::Function &function);
std::vector<passed_value> point_passed(llvm::CallBase &call);

/*
 * Returns the values of the arguments. If `types` do not fit the passed values, uses LLVM's types.
 */
std::vector<point_value> point_arguments(const llvm::DataLayout &layout,
					 const std::vector<passed_value> &passed,
					 const std::vector<seen_type> *types);

/*
 * Returns the value of a result: of a call, or of the function itself. If a struct must be split,
 * inserts the code for that with the builder.
 */
point_value point_result(llvm::IRBuilder<> &builder, llvm::Value *value, const seen_type *type);

#endif
