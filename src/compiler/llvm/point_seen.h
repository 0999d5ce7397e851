/*
 * What the source says about functions and calls but LLVM's IR does not: which pointers are text,
 * what is signed, how structs are split to be passed, what is declared inline, what comes from a
 * system header. (Debug information has some of it, but not for functions that are only declared,
 * unless the program is optimised.) A front-end action of the plugin visits the declarations before
 * code is generated and leaves this for the passes. If clang compiles IR, nothing was seen.
 */
#ifndef COMPILER_LLVM_POINT_SEEN_H
#define COMPILER_LLVM_POINT_SEEN_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

/* How a value is passed. */
enum seen_way {
	SEEN_SCALAR,
	SEEN_STRUCT,	/* split into one or two values, or a copy in memory */
	SEEN_REFERENCE, /* a class that must be constructed: its address */
	SEEN_NOTHING,	/* an empty class */
};

struct seen_type {
	char letter;  /* event/point.h */
	char pointed; /* what it points at; 'o': not recorded */
	enum seen_way way;
	unsigned size; /* bytes */
};

struct seen_location {
	std::string file; /* as it was named when it was opened */
	unsigned line, column;
};

struct seen_function {
	std::vector<seen_type> parameters; /* `this` first */
	seen_type result;
	bool has_prototype, is_variadic, is_inline, is_of_system;
	seen_location where;
	unsigned return_line,
		return_column; /* of the only `return`; 0: there is none, or several */
};

/* Finds a function by its linker name. NULL: not seen. */
const seen_function *seen_find(llvm::StringRef linker_name);

/*
 * Returns the types of all arguments at a call of a variadic function, or of memcpy, memmove or
 * memset, which are no longer calls in LLVM's IR. NULL: no call was seen there, or several that
 * differ.
 */
const std::vector<seen_type> *seen_find_call(llvm::StringRef linker_name, unsigned line,
					     unsigned column);

/* Returns whether there was a source to visit. */
bool seen_any();

/* Returns whether the linker may drop single functions (-ffunction-sections). */
bool seen_is_loose();

#endif
