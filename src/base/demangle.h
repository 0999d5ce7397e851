/* C++ names as their source has them. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

/*
 * A function or variable without its parameter list; NULL: `name` is none of C++'s. To be freed by
 * the caller.
 */
char *demangle_name(const char *name);

#endif
