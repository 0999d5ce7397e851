/* The functions that the program and its libraries import. */
#ifndef RUNTIME_HOST_IMPORTS_H
#define RUNTIME_HOST_IMPORTS_H

#include <link.h>
#include <stdbool.h>

/*
 * Does a module that is loaded now import a function of this name? If not, the run will not call
 * that function unless a module is loaded later, or the function is looked up by dlsym.
 */
bool imports_name(const char *name);

/* Does this module? */
bool imports_is_imported_by(const struct dl_phdr_info *info, const char *name);

#endif
