/* What the program and its libraries call of others. */
#ifndef RUNTIME_HOST_IMPORTS_H
#define RUNTIME_HOST_IMPORTS_H

#include <stdbool.h>

/*
 * Does a module that is loaded now ask for a function of this name? So it is known beforehand what
 * may still happen in a run. One that is looked up by dlsym is not found.
 */
bool imports_name(const char *name);

#endif
