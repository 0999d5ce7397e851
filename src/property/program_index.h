/* What program.c finds in the files and program_types.c asks. */
#ifndef PROPERTY_PROGRAM_INDEX_H
#define PROPERTY_PROGRAM_INDEX_H

#include "base/intern.h"
#include "property/program.h"

#include <elfutils/libdwfl.h>

struct program_variable {
	Dwarf_Die die;
	Dwarf_Addr bias;
	uint32_t next; /* of the same name, + 1 */
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
	struct trace_symbols *symbols; /* of a recording */
	Dwfl *dwfl, *own;
	bool indexed, has_types;
	struct intern structs, typedefs, variables, functions, libraries, probes;
	struct program_dies struct_dies, typedef_dies; /* by number of the name */
	VEC(uint32_t) variable_lists; /* by number: the first of variable_dies, + 1 */
	VEC(struct program_variable) variable_dies;
	VEC(struct program_function_info) function_infos;
};

void program_index(struct program *program);

#endif
