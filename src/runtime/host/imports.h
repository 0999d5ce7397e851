/* The functions that the program and its libraries import. */
#ifndef RUNTIME_HOST_IMPORTS_H
#define RUNTIME_HOST_IMPORTS_H

#include <stdbool.h>

/*
 * Does a module that is loaded now import a function of this name? This tells in advance what may
 * still happen in a run. Functions looked up by dlsym are not found.
 */
bool imports_name(const char *name);

#endif
