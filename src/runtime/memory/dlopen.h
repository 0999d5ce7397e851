/* The function that dlopen.S calls. */
#ifndef RUNTIME_MEMORY_DLOPEN_H
#define RUNTIME_MEMORY_DLOPEN_H

#include <dlfcn.h>
#include <stdint.h>

/* Called before dlopen, for the code at `pc`. Returns the function to jump to. */
__typeof__(dlopen) *dlopen_begin(const char *file, uintptr_t pc);

#endif
