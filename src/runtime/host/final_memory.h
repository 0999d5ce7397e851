/*
 * Writes the final contents of the program's own variables (option remains=1) to the file `remains`
 * of the trace. A value that no recorded write left was written by code that is not recorded, and
 * properties that use the variable must know that.
 */
#ifndef RUNTIME_HOST_FINAL_MEMORY_H
#define RUNTIME_HOST_FINAL_MEMORY_H

/* To be called once, when the process ends normally. */
void final_memory_write(void);

#endif
