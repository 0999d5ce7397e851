/* What is run at the end of the process: exit_handlers.c. */
#ifndef RUNTIME_SYNC_EXIT_HANDLERS_H
#define RUNTIME_SYNC_EXIT_HANDLERS_H

#include <stdint.h>

/* Before the functions that were given to at_quick_exit run. */
void exit_handlers_quick(uintptr_t pc);

#endif
