/* Demangling: C++ names as they are written in the source. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

/*
 * Returns the name of a function or variable without its parameter list, or NULL if `name` is not a
 * mangled C++ name. The caller frees it.
 */
char *demangle_name(const char *name);

#endif
