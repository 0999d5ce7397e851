/*
 * Writes the final contents of the program's own variables (option remains=1) to the file `remains`
 * of the trace. If a variable's final value differs from the last recorded write, unrecorded code
 * has written it. Properties that use the variable must take that into account.
 */
#ifndef RUNTIME_HOST_FINAL_MEMORY_H
#define RUNTIME_HOST_FINAL_MEMORY_H

/* To be called once, when the process ends normally. */
void final_memory_write(void);

#endif
