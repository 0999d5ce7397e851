/* What a function is called in rows of points. */
#ifndef GCC_POINT_NAME_H
#define GCC_POINT_NAME_H

#include "compiler/gcc/gcc.h"

#include <string>

/* The linker's name, without the star that a user's own asm name has. */
std::string point_linker_name(tree function);

/* The same and, behind a tab, what the source calls it if that is something else. */
std::string point_full_name(tree function);

#endif
