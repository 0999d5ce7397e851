/* Functions that run at the end of the process. */
#ifndef RUNTIME_SYNC_EXIT_HANDLERS_H
#define RUNTIME_SYNC_EXIT_HANDLERS_H

#include <stdint.h>

/* Called before the library runs the functions that the program passed to at_quick_exit. */
void exit_handlers_quick(uintptr_t pc);

#endif
