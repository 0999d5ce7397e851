/* Names for accesses and sites, as in the table of the trace. They come from debug information. */
#ifndef COMPILER_LLVM_NAMES_H
#define COMPILER_LLVM_NAMES_H

#include "compiler/llvm/llvm.h"

#include <string>

struct names_reference {
	std::string name;	   /* as written in the source: "counter", "o->refs", "a[].x" */
	std::string path;	   /* struct type and field: "table.refs" */
	unsigned field_offset = 0; /* offset of the field in that struct */
	bool is_bit_field = false;
};

/*
 * Names the reference that an access of `size` bytes makes. `is_whole`: it accesses a struct or an
 * array, not a number.
 */
names_reference names_of_access(llvm::Instruction &at, llvm::Value *pointer, uint64_t size,
				bool is_whole);

/* Names the object that a call uses. */
names_reference names_of_object(llvm::CallBase &call, llvm::Value *pointer);

/*
 * Returns the site of an instruction: "function\tfile", followed by "\tline\tfunction\tfile" for
 * each call through which it was inlined. Stores line and column in the innermost function.
 */
std::string names_site(llvm::Instruction &at, unsigned *line, unsigned *column);

/* Returns "function\tfile", and stores the line where the function starts. */
std::string names_function(llvm::Function &function, unsigned *line);

#endif
