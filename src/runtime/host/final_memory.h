/*
 * What the program's own variables hold when it ends (remains=1): the file `remains` of the trace. A
 * value that no recorded write left was written by code that is not recorded, and properties that look
 * at the variable must know.
 */
#ifndef RUNTIME_HOST_FINAL_MEMORY_H
#define RUNTIME_HOST_FINAL_MEMORY_H

/* Once, when the process ends well. */
void final_memory_write(void);

#endif
