/* Names for accesses and sites, as in the table of the trace. */
#ifndef GCC_NAMES_H
#define GCC_NAMES_H

#include "compiler/gcc/gcc.h"

#include <string>

/* Returns a memory reference as written in the source: "counter", "o->refs", "a[].x". */
std::string names_of_reference(tree ref);

/*
 * Returns the struct type and the field of a reference, "table.refs", and stores the field's offset
 * in that struct. Returns "" if the reference is not a field.
 */
std::string names_field_path(tree ref, unsigned *offset);

/*
 * Returns the site of a statement: "function\tfile", followed by "\tline\tfunction\tfile" for each
 * call through which it was inlined. Stores line and column in the innermost function.
 */
std::string names_site(gimple *stmt, unsigned *line, unsigned *column);

/* Returns "function\tfile". */
std::string names_function(tree function, const char *file);

#endif
