/* The index of a program's names: program.c builds it, program_types.c queries it. */
#ifndef PROPERTY_PROGRAM_INDEX_H
#define PROPERTY_PROGRAM_INDEX_H

#include "base/intern.h"
#include "property/program.h"

#include <elfutils/libdwfl.h>

struct program_variable {
	Dwarf_Die die;
	Dwarf_Addr bias;
	uint32_t next; /* 1 + index of the next variable with the same name */
};
struct program_function_info {
	bool imported;
	int parameters;
};
struct program_dies {
	Dwarf_Die *items;
	size_t count, room;
};

struct program {
	struct trace_symbols *symbols; /* NULL if the program is a file, not a recording */
	Dwfl *dwfl, *own;
	bool indexed, has_types;
	struct intern structs, typedefs, variables, functions, libraries, probes;
	struct program_dies struct_dies, typedef_dies; /* by index of the name */
	/* by index of the name: 1 + index in variable_dies of the first variable with this name */
	VEC(uint32_t) variable_lists;
	VEC(struct program_variable) variable_dies;
	VEC(struct program_function_info) function_infos;
};

void program_index(struct program *program);

#endif
