/* What load.S calls. */
#ifndef RUNTIME_LOAD_H
#define RUNTIME_LOAD_H

#include <dlfcn.h>
#include <stdint.h>

/* Before dlopen, by the code at `pc`; returns the function to jump to. */
__typeof__(dlopen) *load_begin(const char *file, uintptr_t pc);

#endif
