/*
 * Avoids page faults in forked runs. The first write to a page that the child shares with the
 * server is a page fault of 1 to 2 µs. Some runs are used to learn which pages a run writes. A
 * child that waits for its command writes these pages before its run begins, while another child
 * runs.
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
