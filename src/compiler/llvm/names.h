/* What the compiler knows of an access, in words. It all comes from debug information. */
#ifndef COMPILER_LLVM_NAMES_H
#define COMPILER_LLVM_NAMES_H

#include "compiler/llvm/llvm.h"

#include <string>

struct names_reference {
	std::string name;	   /* as the source has it: "counter", "o->refs", "a[].x" */
	std::string path;	   /* struct type and field: "table.refs" */
	unsigned field_offset = 0; /* of the field in that struct */
	bool is_bit_field = false;
};

/* The reference behind an access of `size` bytes; `is_whole`: of a struct or an array, not of a number. */
names_reference names_of_access(llvm::Instruction &at, llvm::Value *pointer, uint64_t size,
				bool is_whole);

/* The object that a call is about. */
names_reference names_of_object(llvm::CallBase &call, llvm::Value *pointer);

/* Where an instruction is: "function\tfile", then "\tline\tfunction\tfile" for each call it was
 * inlined through. Sets line and column of the innermost. */
std::string names_place(llvm::Instruction &at, unsigned *line, unsigned *column);

/* "function\tfile", and the line it starts on. */
std::string names_function(llvm::Function &function, unsigned *line);

#endif
