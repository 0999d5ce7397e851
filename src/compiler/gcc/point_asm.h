/* Builds the statement of a point: the NOP, its operands, and the row. */
#ifndef GCC_POINT_ASM_H
#define GCC_POINT_ASM_H

#include "compiler/gcc/gcc.h"
#include "event/point.h"

#include <string>
#include <vector>

struct point_value {
	tree value;
	tree type;   /* the declared type; NULL: the type of the value */
	bool hidden; /* the value is not recorded */
};

struct point {
	unsigned kind, flags;
	std::string name;		 /* from point_full_name(); for a probe: "app:name" */
	std::vector<point_value> values; /* the arguments; for a RETURN: the result, if any */
	location_t where;
};

/* Returns the statements that make up the point. The NOP is the last. */
gimple_seq point_build(const point &p);

/* Returns the letter of a type (event/point.h). */
char point_letter(tree type);

/* Returns POINT_ROW_LOCAL or 0. */
unsigned point_flags_of(tree function);

/* Adds a row that says why the function has no points. */
void point_add_none(tree function, const char *why);

#endif
