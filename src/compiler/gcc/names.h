/* Names for accesses and code sites, as the table of the trace holds them. */
#ifndef GCC_NAMES_H
#define GCC_NAMES_H

#include "compiler/gcc/gcc.h"

#include <string>

/* Returns a memory reference as written in the source: "counter", "o->refs", "a[].x". */
std::string names_of_reference(tree ref);

/*
 * Returns struct type and field of a reference, "table.refs", and sets the field's offset in that
 * struct. Returns "" if the reference is not to a field.
 */
std::string names_field_path(tree ref, unsigned *offset);

/*
 * Returns the site of a statement: "function\tfile", then "\tline\tfunction\tfile" for each call
 * through which it was inlined. Sets line and column of the innermost function.
 */
std::string names_site(gimple *stmt, unsigned *line, unsigned *column);

/* Returns "function\tfile". */
std::string names_function(tree function, const char *file);

#endif
