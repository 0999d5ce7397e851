/* A point as a statement: the NOP, its operands, and the row. */
#ifndef GCC_POINT_ASM_H
#define GCC_POINT_ASM_H

#include "compiler/gcc/gcc.h"
#include "event/point.h"

#include <string>
#include <vector>

struct point_value {
	tree value;
	tree type;   /* as declared; NULL: the value's own */
	bool hidden; /* not told */
};

struct point {
	unsigned kind, flags;
	std::string name;		 /* point_full_name */
	std::vector<point_value> values; /* arguments; RETURN: the result, or nothing */
	location_t where;
};

/* Statements that make up the point: the NOP comes last. */
gimple_seq point_build(const point &p);

/* The letter of a type (event/point.h). */
char point_letter(tree type);

/* LOCAL or nothing. */
unsigned point_flags_of(tree function);

/* Says that a function has no points, and why. */
void point_say_none(tree function, const char *why);

#endif
