/*
 * Runs in processes of their own: the pages that a run writes are copies of the server's, and each
 * first write is a fault of 1 to 2 µs. Which they are is learned from some runs; a child that stands
 * ready writes them before its run begins, while another runs.
 */
#ifndef RUNTIME_SERVER_PREFAULT_H
#define RUNTIME_SERVER_PREFAULT_H

#include <stdint.h>

/* In the server, before it forks. */
void prefault_start(void);

/* In a child at the end of its run: remembers which pages were written, for children to come. */
void prefault_learn(uint32_t threads);

/* In a child before its run. */
void prefault_all(void);

#endif
