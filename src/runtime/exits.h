/* What is run at the end of the process: exits.c. */
#ifndef RUNTIME_EXITS_H
#define RUNTIME_EXITS_H

#include <stdint.h>

/* Before the functions that were given to at_quick_exit run. */
void exits_quick(uintptr_t pc);

#endif
