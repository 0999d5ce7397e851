/* What the compiler knows of an access, in words. */
#ifndef GCC_NAMES_H
#define GCC_NAMES_H

#include "compiler/gcc/gcc.h"

#include <string>

/* A memory reference as the source has it: "counter", "o->refs", "a[].x". */
std::string names_of_reference(tree ref);

/* The struct type and field of a reference, "table.refs", and the field's offset in that struct.
 * Empty when no field is involved. */
std::string names_field_path(tree ref, unsigned *offset);

/* Where a statement is: "function\tfile", then "\tline\tfunction\tfile" for each call it was
 * inlined through. Sets line and column of the innermost. */
std::string names_place(gimple *stmt, unsigned *line, unsigned *column);

#endif
