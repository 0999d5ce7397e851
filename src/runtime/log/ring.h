/*
 * The file `ring`: the chunks that serve as thread buffers. It is mapped shared, so its pages
 * outlive a killed process. The pool grows with the number of live threads and never shrinks.
 */
#ifndef RUNTIME_LOG_RING_H
#define RUNTIME_LOG_RING_H

#include "event/wire.h"

#include <stdbool.h>

/* Opens the pool in a directory; NULL: the contents are never read. Returns false if that fails. */
bool ring_open(const char *dir);

/* A chunk for a thread buffer, or NULL if the file cannot grow. Async-signal-safe. */
struct wire_block *ring_take(void);
void ring_give(struct wire_block *chunk);

/*
 * RING_BATCH consecutive chunks that are not live; they must not be live when they are returned.
 * NULL if all batches are taken, or the file cannot grow.
 */
#define RING_BATCH 16u
struct wire_block *ring_take_batch(void);
void ring_give_batch(struct wire_block *first);

/* Is any chunk in use, of a batch or not? */
bool ring_in_use(void);

/*
 * Removes the file. The mappings stay, so that threads that still run can write to them harmlessly.
 */
void ring_remove(void);

/* In the child of a fork: unmaps the parent's pool. */
void ring_forget(void);

#endif
