/* What dlopen.S calls. */
#ifndef RUNTIME_MEMORY_DLOPEN_H
#define RUNTIME_MEMORY_DLOPEN_H

#include <dlfcn.h>
#include <stdint.h>

/* Before dlopen, by the code at `pc`; returns the function to jump to. */
__typeof__(dlopen) *dlopen_begin(const char *file, uintptr_t pc);

#endif
