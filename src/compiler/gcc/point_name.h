/* Names of functions in the rows of points. */
#ifndef GCC_POINT_NAME_H
#define GCC_POINT_NAME_H

#include "compiler/gcc/gcc.h"

#include <string>

/* Returns the linker name, without the star that gcc puts before a name set by an asm label. */
std::string point_linker_name(tree function);

/* Returns the linker name. If the source uses another name, it follows after a tab. */
std::string point_full_name(tree function);

#endif
