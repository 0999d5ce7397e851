/*
 * Facts about functions and calls that the source contains but LLVM's IR does not: which pointers
 * are text, which numbers are signed, how structs are split to be passed, which functions are
 * declared inline, which come from a system header. (Debug information has some of these facts, but
 * for functions that are only declared it has them only if the program is optimised.) A front-end
 * action of the plugin visits the declarations before code is generated and stores the facts for
 * the passes. If clang compiles IR, there are none.
 */
#ifndef COMPILER_LLVM_POINT_SEEN_H
#define COMPILER_LLVM_POINT_SEEN_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

/* How a value is passed. */
enum seen_way {
	SEEN_SCALAR,
	SEEN_STRUCT,	/* split into one or two values, or copied to memory */
	SEEN_REFERENCE, /* a class that must be constructed: passed by address */
	SEEN_NOTHING,	/* an empty class */
};

struct seen_type {
	char letter;  /* the type (event/point.h) */
	char pointed; /* type of the pointee; 'o': not recorded */
	enum seen_way way;
	unsigned size; /* bytes */
};

struct seen_location {
	std::string file; /* the name with which it was opened */
	unsigned line, column;
};

struct seen_function {
	std::vector<seen_type> parameters; /* `this` first */
	seen_type result;
	bool has_prototype, is_variadic, is_inline, is_of_system;
	seen_location where;
	unsigned return_line,
		return_column; /* of the only `return`; 0: there is none, or more than one */
};

/* Returns the function with this linker name, or NULL if it was not seen. */
const seen_function *seen_find(llvm::StringRef linker_name);

/*
 * Returns the types of all arguments at a call of a variadic function, or of memcpy, memmove or
 * memset, which are no longer calls in LLVM's IR. Returns NULL if no such call was seen at this
 * location, or if several calls there differ.
 */
const std::vector<seen_type> *seen_find_call(llvm::StringRef linker_name, unsigned line,
					     unsigned column);

/* Was there source code to visit? */
bool seen_any();

/* May the linker drop single functions (-ffunction-sections)? */
bool seen_is_loose();

#endif
