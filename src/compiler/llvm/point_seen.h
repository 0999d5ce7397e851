/*
 * What the source says of functions and calls, and LLVM's form of the program no longer does: which
 * pointers are texts, what is signed, how structs are cut up to be passed, what is declared inline,
 * what comes from a header of the system. (Debugging information has some of it, but not of functions
 * that are only declared, unless one optimises.) A part of the plugin looks at the declarations before
 * code is made of them, and leaves this for the passes. When clang compiles its own intermediate
 * form nothing was seen.
 */
#ifndef COMPILER_LLVM_POINT_SEEN_H
#define COMPILER_LLVM_POINT_SEEN_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

/* How a value is passed. */
enum seen_way {
	SEEN_SCALAR,
	SEEN_STRUCT,	/* cut into one or two values, or a copy in memory */
	SEEN_REFERENCE, /* a class that must be constructed: its address */
	SEEN_NOTHING,	/* an empty class */
};

struct seen_type {
	char letter;  /* event/point.h */
	char pointed; /* what it points at; 'o': not told */
	enum seen_way way;
	unsigned size; /* bytes */
};

struct seen_place {
	std::string file; /* as it was named when it was opened */
	unsigned line, column;
};

struct seen_function {
	std::vector<seen_type> parameters; /* `this` first */
	seen_type result;
	bool has_prototype, is_variadic, is_inline, is_of_system;
	seen_place where;
	unsigned return_line,
		return_column; /* of the only `return`; 0: there are none, or several */
};

/* By the linker's name. NULL: not seen. */
const seen_function *seen_find(llvm::StringRef linker_name);

/*
 * The types of all arguments of a call of a function that takes any, or of memcpy and its kin, of which
 * nothing else tells that they are calls. NULL: none seen there, or several that differ.
 */
const std::vector<seen_type> *seen_find_call(llvm::StringRef linker_name, unsigned line,
					     unsigned column);

/* Was there a source to look at? */
bool seen_any();

/* The linker may drop functions one by one (-ffunction-sections). */
bool seen_is_loose();

#endif
