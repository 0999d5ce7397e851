/*
 * For runs in forked processes. The pages that a run writes are copies of the server's, and each
 * first write is a page fault of 1 to 2 µs. Some runs are used to learn which pages these are. A
 * child that waits for its command writes them before its run begins, while another child runs.
 */
#ifndef RUNTIME_SERVER_PREFAULT_H
#define RUNTIME_SERVER_PREFAULT_H

#include <stdint.h>

/* In the server, before it forks. */
void prefault_start(void);

/* In a child at the end of its run: remembers which pages were written, for later children. */
void prefault_learn(uint32_t threads);

/* In a child before its run: touches the learned pages. */
void prefault_write_pages(void);

#endif
