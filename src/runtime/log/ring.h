/*
 * The file `ring`: chunks in which lanes are made. Mapped shared, so its pages outlive a killed
 * process. The pool grows with the number of threads alive and never shrinks.
 */
#ifndef RUNTIME_LOG_RING_H
#define RUNTIME_LOG_RING_H

#include "event/wire.h"

#include <stdbool.h>

/* Opens the pool in a directory; NULL: nobody will read it. False: it cannot be made. */
bool ring_open(const char *dir);

/* A chunk for a lane, or NULL when the file cannot grow. Async-signal-safe. */
struct wire_block *ring_take(void);
void ring_give(struct wire_block *chunk);

/*
 * RING_BATCH chunks, one behind the other, none of them live: they are to be so again when they are
 * given back. NULL: enough are out, or the file cannot grow.
 */
#define RING_BATCH 16u
struct wire_block *ring_take_batch(void);
void ring_give_batch(struct wire_block *first);

/* Is any chunk in use, of a batch or not? */
bool ring_in_use(void);

/* Removes the file; the mappings stay, so that threads still running write to no one's harm. */
void ring_remove(void);

/* In a fork child: unmap the parent's pool. */
void ring_forget(void);

#endif
